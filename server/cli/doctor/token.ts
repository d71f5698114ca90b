import { readToken } from '../../http/access.ts';
import { failed, type Check, type Patient } from './check.ts';

/** Whether the token can be read, and only by its owner. */
export function checkToken({ paths }: Patient): Check {
  const name = 'token';
  try {
    const exists = readToken(paths.token) !== null;
    return {
      name,
      status: 'ok',
      message: exists ? 'kept in a file of your own' : 'not there yet; the first start makes one',
    };
  } catch (error) {
    return failed(name, error);
  }
}
