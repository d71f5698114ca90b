/** Looks no further back than one question is long. */
const QUESTION_CHARS = 300;

/** What to type when a host asks. `yes` and `no` are meant, not spelled: a host that asks for y or n gets one letter (W-11). */
export function answerFor(send: string, asked: string): string {
  // A pager turns the page at a bare space, and would take Enter for one line more.
  if (send === ' ') return send;
  const wanted = /^(?:y|yes|n|no)$/i.exec(send)?.[0].toLowerCase();
  return `${wanted === undefined ? send : spell(wanted.startsWith('y'), asked.slice(-QUESTION_CHARS), send)}\n`;
}

function spell(isYes: boolean, question: string, written: string): string {
  const forms = [...question.matchAll(/\b(yes\s*[/|]\s*no|y\s*[/|]\s*n)\b/gi)].at(-1)?.[0];
  if (forms === undefined) return written;
  if (/^yes/i.test(forms)) return isYes ? 'yes' : 'no';
  return isYes ? 'y' : 'n';
}
