/**
 * A report as one text: what the watch says as its manifest writes it, then a model's words about it. The model's come second, so
 * that nothing they say can stand in for the outcome.
 */
export function reportText({ text, words }: { text: string; words?: string | null | undefined }): string {
  return words === undefined || words === null ? text : `${text}\n\n${words}`;
}
