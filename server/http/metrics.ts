import { CONTENT_TYPE, sample, writeFamilies, type Family } from './metrics/exposition.ts';
import { Histogram } from './metrics/histogram.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** What is counted of one route. There are as many as routes, and each has as many outcomes as methods and statuses. */
interface RouteMetrics {
  durations: Histogram;
  outcomes: { method: string; status: number; count: number }[];
}

const DURATION_BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10];

/** Prometheus metrics of this process. */
export function createMetrics(version: string, connectorStates: () => Record<string, number>) {
  const routes = new Map<string, RouteMetrics>();
  const metricsOf = (route: string): RouteMetrics => {
    let known = routes.get(route);
    if (known === undefined) {
      known = { durations: new Histogram(DURATION_BOUNDS), outcomes: [] };
      routes.set(route, known);
    }
    return known;
  };
  return {
    /** `route` is one of the patterns that Forge knows, never a path as sent: each is kept for good. */
    request(method: string, route: string, status: number, seconds: number): void {
      const { durations, outcomes } = metricsOf(route);
      durations.observe(seconds);
      for (const outcome of outcomes) {
        if (outcome.status === status && outcome.method === method) {
          outcome.count += 1;
          return;
        }
      }
      outcomes.push({ method, status, count: 1 });
    },
    async render(): Promise<string> {
      // Loaded when somebody asks: most never do, and Node's heap statistics would lengthen every start.
      const { processFamilies } = await import('./metrics/process-families.ts');
      return writeFamilies([
        ...(await processFamilies()),
        ...requestFamilies(routes),
        {
          name: 'forge_info',
          help: 'The running version.',
          type: 'gauge',
          samples: [sample(1, { version })],
        },
        {
          name: 'forge_connectors',
          help: 'Installed connectors by state.',
          type: 'gauge',
          samples: Object.entries(connectorStates()).map(([state, count]) => sample(count, { state })),
        },
      ]);
    },
    contentType: CONTENT_TYPE,
  };
}

function requestFamilies(routes: ReadonlyMap<string, RouteMetrics>): Family[] {
  const all = [...routes];
  return [
    {
      name: 'forge_http_requests_total',
      help: 'Requests by method, route and status.',
      type: 'counter',
      samples: all.flatMap(([route, { outcomes }]) =>
        outcomes.map(({ method, status, count }) => sample(count, { method, route, status: String(status) })),
      ),
    },
    {
      name: 'forge_http_request_duration_seconds',
      help: 'How long requests took.',
      type: 'histogram',
      samples: all.flatMap(([route, { durations }]) => durations.samples({ route })),
    },
  ];
}
