import { describe, expect, it } from 'vitest';
import { readVariable, scrubEnvironment, withVariables } from './environment.ts';

describe('the environment of a program', () => {
  it.each([
    ['PATH', true],
    ['HOME', true],
    ['LC_ALL', true],
    ['XDG_CONFIG_HOME', true],
    ['SSH_AUTH_SOCK', true],
    ['KUBECONFIG', true],
    ['DOCKER_HOST', true],
    ['XDG_SERVICE_TOKEN', false],
    ['LC_PASSWORD', false],
    ['FORGE_ENCRYPTION_KEY', false],
    ['FORGE_DATA_DIR', false],
    ['FORG_PORT', false],
    ['AWS_SECRET_ACCESS_KEY', false],
    ['GITHUB_TOKEN', false],
    ['ANTHROPIC_API_KEY', false],
    ['NODE_OPTIONS', false],
    ['LD_PRELOAD', false],
    ['HTTPS_PROXY', false],
    ['path', false],
    ['SystemRoot', false],
  ])('C-99 on POSIX, %s passes: %s', (name, passes) => {
    expect(Object.hasOwn(scrubEnvironment({ [name]: 'x' }, 'linux'), name)).toBe(passes);
  });

  it.each([
    ['SystemRoot', true],
    ['Path', true],
    ['PATHEXT', true],
    ['ProgramFiles(x86)', true],
    ['AppData', true],
    ['Forge_Encryption_Key', false],
    ['AWS_SECRET_ACCESS_KEY', false],
  ])('C-99 on Windows, %s passes: %s', (name, passes) => {
    expect(Object.hasOwn(scrubEnvironment({ [name]: 'x' }, 'win32'), name)).toBe(passes);
  });

  it('says that there is no terminal, whatever Forge was started in', () => {
    expect(scrubEnvironment({ TERM: 'xterm-256color' }, 'linux')).toEqual({ TERM: 'dumb' });
  });

  it('leaves out a variable that is not set', () => {
    expect(scrubEnvironment({ HOME: undefined }, 'linux')).toEqual({ TERM: 'dumb' });
  });

  it('C-99 puts the command’s own variables on top', () => {
    const env = withVariables({ PATH: '/usr/bin', LANG: 'C' }, { LANG: 'de_DE', GH_TOKEN: 't0ken' }, 'linux');
    expect(env).toEqual({ PATH: '/usr/bin', LANG: 'de_DE', GH_TOKEN: 't0ken' });
  });

  it('knows that Windows reads Path and PATH as one name', () => {
    expect(withVariables({ Path: 'C:\\a' }, { PATH: 'C:\\b' }, 'win32')).toEqual({ PATH: 'C:\\b' });
    expect(readVariable({ Path: 'C:\\a' }, 'PATH', 'win32')).toBe('C:\\a');
    expect(readVariable({ Path: '/a' }, 'PATH', 'linux')).toBe('');
  });
});
