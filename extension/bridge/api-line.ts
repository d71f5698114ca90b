import { notificationFrame, readFrame, requestFrame } from '../../shared/bridge.ts';
import { problemWith } from '../../shared/shape-problem.ts';
import { ApiCallResult, type ApiCall, type ApiCallAnswer, type ApiText } from '../../shared/bridge-api.ts';
import { ForgeError } from '../../shared/errors.ts';
import type { LinkDeps } from './link.ts';
import { errorOfServer } from './server-error.ts';
import type { Socket } from './socket.ts';

interface AskOptions {
  signal: AbortSignal;
  /** Told the text of an answer as it comes, when the call asked for that. */
  onText: (text: string) => void;
}

interface Answer {
  result: ApiCallAnswer;
  body: string;
}

interface Question {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  onText: (text: string) => void;
}

/** The link's own requests count from one; these are told apart by their size. */
const FIRST_ID = 2 ** 40;

export type ApiLine = ReturnType<typeof createApiLine>;

/** What this browser asks the server, over the socket that the link keeps. Everything else on the socket is left to the link. */
export function createApiLine(open: LinkDeps['openSocket'], isReady: () => boolean) {
  const questions = new Map<number, Question>();
  let current: Socket | null = null;
  let nextId = FIRST_ID;

  const settle = (id: number, end: (question: Question) => void): boolean => {
    const question = questions.get(id);
    if (question === undefined) return false;
    questions.delete(id);
    end(question);
    return true;
  };
  /** True when the message was for one of the questions. */
  const take = (data: unknown): boolean => {
    if (questions.size === 0 || typeof data !== 'string') return false;
    const frame = readFrame(data);
    if (frame.kind === 'notification' && frame.method === 'api.text') {
      const { id, text } = frame.params as ApiText; // checked by readFrame
      questions.get(id)?.onText(text);
      return true;
    }
    if (frame.kind === 'error') return settle(frame.id, ({ reject }) => reject(errorOfServer(frame.error)));
    if (frame.kind !== 'result') return false;
    return settle(frame.id, ({ resolve, reject }) => {
      const problem = problemWith(ApiCallResult, frame.result);
      if (problem !== null) reject(new ForgeError('bridge_protocol', `Forge’s answer is wrong: ${problem}.`));
      else resolve({ result: frame.result as ApiCallAnswer, body: frame.body ?? '' }); // checked on the line above
    });
  };
  const openSocket: LinkDeps['openSocket'] = (url, handlers) => {
    const opened: Socket = open(url, {
      onMessage: (data) => {
        if (!take(data)) handlers.onMessage(data);
      },
      onClose: (code) => {
        if (current === opened) {
          const gone = new ForgeError('bridge_offline', 'The connection to Forge ended before it answered.');
          for (const id of [...questions.keys()]) settle(id, ({ reject }) => reject(gone));
        }
        handlers.onClose(code);
      },
    });
    current = opened;
    return opened;
  };
  const ask = (call: ApiCall, { signal, onText }: AskOptions): Promise<Answer> => {
    const socket = current;
    // Only a Forge that has proved itself is asked anything.
    if (socket?.isOpen() !== true || !isReady())
      return Promise.reject(new ForgeError('bridge_offline', 'Forge is not connected right now.'));
    const id = nextId++;
    const answer = new Promise<Answer>((resolve, reject) => {
      questions.set(id, { resolve, reject, onText });
    });
    signal.addEventListener('abort', () => {
      const isOpen = settle(id, ({ reject }) => reject(new DOMException('cancelled', 'AbortError')));
      if (isOpen && socket.isOpen()) socket.send(notificationFrame('api.cancel', { id }));
    });
    socket.send(requestFrame(id, 'api.call', call));
    return answer;
  };
  return { openSocket, ask };
}
