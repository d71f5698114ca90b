/** One line of a metric: what its name ends with, its labels and its value. */
export interface Sample {
  suffix: '' | '_bucket' | '_sum' | '_count';
  labels: Readonly<Record<string, string>>;
  value: number;
}

/** A metric with everything that is known of it at the moment. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly Sample[];
}

/** The media type of what `writeFamilies` writes. */
export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Metrics in Prometheus' text format, each with its help and its type. */
export function writeFamilies(families: readonly Family[]): string {
  return families.map(writeFamily).join('\n');
}

/** A sample as most metrics have it: the metric's own name, and a value. */
export function sample(value: number, labels: Sample['labels'] = {}): Sample {
  return { suffix: '', labels, value };
}

/** A metric of one value that goes up and down. */
export function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [sample(value)] };
}

function writeFamily({ name, help, type, samples }: Family): string {
  const lines = samples.map(
    ({ suffix, labels, value }) => `${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}`,
  );
  return [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n');
}

function writeLabels(labels: Sample['labels']): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** Numbers as the format spells them; its infinity is not JavaScript's. */
export function writeNumber(value: number): string {
  if (value === Infinity) return '+Inf';
  return value === -Infinity ? '-Inf' : String(value);
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
