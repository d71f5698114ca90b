// npm runs this after it has installed the packages of a clone, because that removes the command.
import { linkCommand } from './packages.mjs';

linkCommand();
