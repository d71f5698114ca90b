import { defineBackground } from 'wxt/utils/define-background';
import { startWorker } from '../worker/start-worker.ts';

export default defineBackground({ type: 'module', main: startWorker });
