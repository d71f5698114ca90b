import { commandName } from './command-name.js';
import { importOrder } from './import-order.js';

/** Rules of the project's own, for the linter. */
export default { meta: { name: 'forge' }, rules: { 'command-name': commandName, 'import-order': importOrder } };
