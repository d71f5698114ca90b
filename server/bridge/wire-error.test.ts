import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../shared/errors.ts';
import { errorOfWire } from './wire-error.ts';

describe('what a browser reports', () => {
  it.each([
    'login_required',
    'user_scripts_off',
    'permission_missing',
    'approval_denied',
    'script_failed',
    'tab_closed',
  ])('keeps the code %s and its hint', (code) => {
    const error = errorOfWire({ code, message: 'what happened' });
    expect(error).toMatchObject({ code, message: 'what happened', hint: ERRORS[code as keyof typeof ERRORS].hint });
  });

  it.each([
    'nonsense',
    '__proto__',
    'constructor',
    '',
    'internal',
    'tool_not_found',
    'shutting_down',
    'approval_required',
  ])('takes the code %j for a failure of the tool', (code) => {
    expect(errorOfWire({ code, message: 'x' }).code).toBe('tool_error');
  });

  it('says something when the browser does not', () => {
    expect(errorOfWire({ code: 'tab_closed', message: ' \n' }).message).toBe('the browser reported tab_closed');
  });

  it('cleans and cuts what may be a page’s own words', () => {
    const { message, hint } = errorOfWire({
      code: 'script_failed',
      message: `a\u0000\u001b[2Jb\u202e\nc${'x'.repeat(5000)}`,
      hint: `\ud800${'y'.repeat(900)}`,
    });
    expect(message.startsWith('a  [2Jb \ncxxx')).toBe(true);
    expect(message).toHaveLength(2001);
    expect(hint).toHaveLength(501);
    expect(hint.isWellFormed()).toBe(true);
  });

  it('hands small details on and drops large ones', () => {
    expect(errorOfWire({ code: 'script_failed', message: 'x', details: { line: 3 } }).details).toEqual({ line: 3 });
    expect(errorOfWire({ code: 'script_failed', message: 'x', details: 'x'.repeat(5000) }).details).toBeUndefined();
  });
});
