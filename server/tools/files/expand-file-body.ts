import type { Request } from '../../../shared/manifest/schema/tool.ts';
import { expandForm } from '../../../shared/template/expand-form.ts';
import { onlyToken } from '../../../shared/template/parse.ts';
import { asTemplate } from '../../../shared/template/scope.ts';
import type { CallScope, FillOptions } from '../call-scope.ts';
import { fileLine, type FileArgument } from './file-argument.ts';
import { encodeMultipart, type Part } from './multipart.ts';

/** A body that holds files. Where it is shown it is `text`, which names them; what is sent is `payload`. */
export interface FileBody {
  text: string | null;
  type: string | null;
  payload?: Uint8Array;
}

/** Fills `body_multipart`, or a body that is one file; null for every other body. */
export function expandFileBody(request: Request, scope: CallScope, options: FillOptions): FileBody | null {
  if (request.body_multipart !== undefined) return multipart(request.body_multipart, scope, options);
  const file = fileIn(request.body, scope, options);
  if (file === undefined) return null;
  const { contentType: type, content } = file;
  if (options.secrets !== 'reveal' || content === null) return { text: fileLine(file), type };
  return { text: null, type, payload: content.bytes };
}

function multipart(fields: Readonly<Record<string, unknown>>, scope: CallScope, options: FillOptions): FileBody {
  const parts: Part[] = [];
  const lines: string[] = [];
  for (const [name, value] of Object.entries(fields)) {
    const file = fileIn(value, scope, options);
    if (file === undefined) {
      for (const [key, text] of expandForm({ [name]: value }, scope, options)) {
        parts.push({ name: key, text });
        lines.push(`${key}: ${text}`);
      }
      continue;
    }
    const { filename, contentType, content } = file;
    parts.push({ name, filename, contentType, bytes: content?.bytes ?? NO_BYTES });
    lines.push(`${name}: ${fileLine(file)}`);
  }
  if (options.secrets !== 'reveal') return { text: lines.join('\n'), type: 'multipart/form-data' };
  const { type, bytes } = encodeMultipart(parts);
  return { text: null, type, payload: bytes };
}

const NO_BYTES = new Uint8Array();

/** The file that a value stands for, if it is nothing but that. */
function fileIn(value: unknown, { files, ...scope }: CallScope, options: FillOptions): FileArgument | undefined {
  if (typeof value !== 'string' || files === undefined) return undefined;
  const token = onlyToken(asTemplate(value, scope, options));
  return token?.root === 'args' && token.path.length === 1 ? files.get(token.path[0] ?? '') : undefined;
}
