// Runs in a thread of its own: lints large packages.
import { serveSideThread } from '../base/serve-side-thread.ts';
import type { LintRequest } from './package-lints.ts';
import { lintPackage } from './read-package.ts';

serveSideThread(({ files, forgeVersion }: LintRequest) => lintPackage(files, forgeVersion));
