/** What is wrong with a client's file, and where. */
export class TextProblem extends Error {
  readonly line: number;

  constructor(text: string, at: number, message: string) {
    super(message);
    this.line = text.slice(0, at).split('\n').length;
  }
}
