import { holdWorker } from '../../platform/keeper.ts';

holdWorker();
