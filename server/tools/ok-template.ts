import { ownValue } from '../../shared/json.ts';

/** `{{path.to.value}}`; what is not in the answer shows as `?`. */
export function fillOkTemplate(template: string, body: unknown): string {
  return template.replace(/\{\{\s*([^{}]{1,200}?)\s*\}\}/g, (_match, path: string) => {
    let value: unknown = body;
    for (const key of path
      .replaceAll(/\[(\d+)\]/g, '.$1')
      .split('.')
      .filter((part) => part !== ''))
      value = ownValue(value, key);
    if (value === undefined || value === null) return '?';
    return typeof value === 'string' ? value : JSON.stringify(value); // what JSON has besides objects
  });
}
