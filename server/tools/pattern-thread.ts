// Runs in a thread of its own: looks for patterns of manifests in answers of services.
import { serveSideThread } from '../base/serve-side-thread.ts';
import { matchInThread } from './patterns.ts';

serveSideThread(matchInThread);
