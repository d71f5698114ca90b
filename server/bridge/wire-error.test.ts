import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../shared/error-table.ts';
import { maskerOf } from '../secrets/testing/masker-of.ts';
import { errorOfWire } from './wire-error.ts';

const asIs = (text: string): string => text;

describe('what a browser reports', () => {
  it.each([
    'login_required',
    'user_scripts_off',
    'permission_missing',
    'approval_denied',
    'script_failed',
    'tab_closed',
  ])('keeps the code %s and its hint', (code) => {
    const error = errorOfWire({ code, message: 'what happened' }, asIs);
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
    expect(errorOfWire({ code, message: 'x' }, asIs).code).toBe('tool_error');
  });

  it('says something when the browser does not', () => {
    expect(errorOfWire({ code: 'tab_closed', message: ' \n' }, asIs).message).toBe('the browser reported tab_closed');
  });

  it('cleans and cuts what may be a page’s own words', () => {
    const said = {
      code: 'script_failed',
      message: `a\u0000\u001b[2Jb\u202e\nc${'x'.repeat(5000)}`,
      hint: `\ud800${'y'.repeat(900)}`,
    };
    const { message, hint } = errorOfWire(said, asIs);
    expect(message.startsWith('a  [2Jb \ncxxx')).toBe(true);
    expect(message).toHaveLength(2001);
    expect(hint).toHaveLength(501);
    expect(hint.isWellFormed()).toBe(true);
  });

  it('masks a secret before it cuts it in two', () => {
    const masker = maskerOf('correct-horse-battery');
    const said = (chars: number) => `${'x'.repeat(chars - 10)}correct-horse-battery${'y'.repeat(100)}`;
    const wire = { code: 'script_failed', message: said(2000), hint: said(500) };
    const { message, hint } = errorOfWire(wire, masker.redact);
    expect([message.slice(-11), hint.slice(-11)]).toEqual(['[secret]yy…', '[secret]yy…']);
  });

  it('hands small details on and drops large ones', () => {
    expect(errorOfWire({ code: 'script_failed', message: 'x', details: { line: 3 } }, asIs).details).toEqual({
      line: 3,
    });
    expect(
      errorOfWire({ code: 'script_failed', message: 'x', details: 'x'.repeat(5000) }, asIs).details,
    ).toBeUndefined();
  });
});
