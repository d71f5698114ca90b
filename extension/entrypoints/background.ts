import { defineBackground } from 'wxt/utils/define-background';
import { startWorker } from '../worker/start-worker.ts';

// Not a module: those are loaded one after the other each time the worker starts, which is the longest part of its start.
export default defineBackground({ main: startWorker });
