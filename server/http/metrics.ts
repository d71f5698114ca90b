import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export type Metrics = ReturnType<typeof createMetrics>;

/** Prometheus metrics of this process. */
export function createMetrics(version: string, connectorStates: () => Record<string, number>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'forge_http_requests_total',
    help: 'Requests by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'forge_http_request_duration_seconds',
    help: 'How long requests took.',
    labelNames: ['route'],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  new Gauge({ name: 'forge_info', help: 'The running version.', labelNames: ['version'], registers: [registry] }).set(
    { version },
    1,
  );
  new Gauge({
    name: 'forge_connectors',
    help: 'Installed connectors by state.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [state, count] of Object.entries(connectorStates())) this.set({ state }, count);
    },
  });
  // Finding the counter for a set of labels takes longer than counting; there are only as many as routes and statuses.
  const counters = new Map<string, { count: () => void; time: (seconds: number) => void }>();
  const counterFor = (method: string, route: string, status: number) => {
    const key = `${method} ${route} ${status}`;
    let known = counters.get(key);
    if (known === undefined) {
      const request = requests.labels(method, route, String(status));
      const duration = durations.labels(route);
      known = { count: () => request.inc(), time: (seconds) => duration.observe(seconds) };
      counters.set(key, known);
    }
    return known;
  };
  return {
    request(method: string, route: string, status: number, seconds: number): void {
      const counter = counterFor(method, route, status);
      counter.count();
      counter.time(seconds);
    },
    render: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
