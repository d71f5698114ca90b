/**
 * Runs in the page: has the person typed something that leaving would lose? Fields that differ from what the page came with count, and
 * any text in a field once the person has touched the page, because frameworks write what is typed back as the default.
 */
export function unsavedInput(): boolean {
  const touched = navigator.userActivation.hasBeenActive;
  for (const field of document.querySelectorAll('input, textarea, select')) {
    if (field instanceof HTMLSelectElement) {
      if ([...field.options].some((option) => option.selected !== option.defaultSelected) && touched) return true;
    } else if (field instanceof HTMLInputElement && /^(checkbox|radio)$/.test(field.type)) {
      if (field.checked !== field.defaultChecked) return true;
    } else if (field instanceof HTMLInputElement && /^(hidden|button|submit|reset|image)$/.test(field.type)) {
      continue;
    } else if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) {
      if (field.value !== field.defaultValue || (touched && field.value !== '')) return true;
    }
  }
  if (!touched) return false;
  const editable = document.querySelectorAll<HTMLElement>('[contenteditable]:not([contenteditable="false"])');
  return [...editable].some((element) => element.innerText.trim() !== '');
}
