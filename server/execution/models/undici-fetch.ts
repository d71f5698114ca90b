import { fetch } from 'undici';
import { Dispatchers } from '../../runners/http/dispatchers.ts';

// In a module of its own, so that a bundle can load it late: of a CommonJS package only its default would be left.
export { Dispatchers, fetch };
