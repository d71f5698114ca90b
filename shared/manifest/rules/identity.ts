import { compareVersions, parseVersion } from '../semver.ts';
import { failure, warning, type Rule } from '../rule.ts';

/** Names Windows keeps for devices: a folder cannot be called that there. */
const DEVICE_NAMES = /^(con|prn|aux|nul|com\d|lpt\d)$/;

/** Words that stand where an id stands in the API's addresses. */
const RESERVED = new Set(['marketplace', 'install-local', 'lint']);

/** The id must work as a folder name everywhere, and versions must be comparable for updates. */
export const identity: Rule = function* ({ manifest, parts, forgeVersion }) {
  const ids = [
    { id: manifest.id, path: ['id'] },
    ...parts.map(({ part, path }) => ({ id: part.id, path: [...path, 'id'] })),
  ];
  for (const { id, path } of new Map(ids.map((entry) => [entry.path.join('.'), entry])).values()) {
    if (DEVICE_NAMES.test(id)) {
      yield failure('id', path, `\`${id}\` is a device name on Windows and cannot be an id`, {
        hint: 'Choose another id.',
      });
    }
    if (RESERVED.has(id))
      yield failure('id', path, `\`${id}\` is a word of the API and cannot be an id`, { hint: 'Choose another id.' });
  }
  if (parseVersion(manifest.version) === null) {
    yield failure('version', ['version'], `\`${manifest.version}\` is not a version`, {
      hint: 'Write it as major.minor.patch, such as "0.1.0".',
    });
  }
  const wanted = manifest.min_forge_version;
  if (wanted !== undefined && parseVersion(wanted) === null) {
    yield failure('version', ['min_forge_version'], `\`${wanted}\` is not a version`, {
      hint: 'Write it as major.minor.patch.',
    });
  } else if (wanted !== undefined && compareVersions(wanted, forgeVersion) > 0) {
    yield warning(
      'min-forge-version',
      ['min_forge_version'],
      `this Forge is ${forgeVersion}; the connector needs ${wanted}`,
    );
  }
  if (manifest.runtime !== undefined)
    yield warning('ignored-key', ['runtime'], '`runtime` has no effect in Forge', { at: 'key' });
};
