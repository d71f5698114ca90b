import { Type } from '@sinclair/typebox';
import { route, type Route } from '../route.ts';
import type { Services } from '../services.ts';
import { installed } from './manifests.ts';

const DemoAnswer = Type.Object({
  connector: Type.String(),
  tool: Type.String({ description: 'The one to begin with.' }),
  url: Type.String({ description: 'The shop itself, on this computer.' }),
});

/** A first working tool for somebody who has none. */
export function demoRoutes(services: Services): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/demo',
      summary: 'Start the demo shop on this computer and set its connector up.',
      access: 'token',
      describe: () => ({
        title: 'Install the demo shop’s connector and start the shop on this computer',
        verb: 'Install',
        lines: [{ label: 'Talks to', text: 'the demo shop, on this computer' }],
      }),
      answers: { status: 200, schema: DemoAnswer },
      handle: async () => {
        const { installed: outcome, ...answer } = await services.demo.setUp();
        await installed(services, outcome);
        return { body: answer };
      },
    }),
  ];
}
