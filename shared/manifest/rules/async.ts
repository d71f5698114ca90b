import { suggestion } from '../did-you-mean.ts';
import type { Finding } from '../diagnostic.ts';
import { failure, warning, type Rule, type ToolView } from '../rule.ts';
import type { AsyncBlock, ManifestTool } from '../schema/tool.ts';
import { WATCH_LIMITS } from '../watch-limits.ts';

/** A watch polls and chains tools of its own connector, ends on a test, and stays within its guards. */
export const asyncBlocks: Rule = function* ({ tools }) {
  for (const view of tools) {
    if (view.tool.async !== undefined) yield* checkBlock(view.tool.async, view, view.part.part.tools ?? {});
  }
};

function* checkBlock(
  block: AsyncBlock,
  view: ToolView,
  tools: Readonly<Record<string, ManifestTool>>,
): Iterable<Finding> {
  const at = (...keys: string[]) => [...view.path, 'async', ...keys];
  const siblings = Object.keys(tools);
  const poll = Object.hasOwn(tools, block.poll) ? tools[block.poll] : undefined;
  if (poll?.destructive === true)
    yield failure('async', at('poll'), `\`${block.poll}\` is destructive, and would be called again and again`);
  if (poll === undefined) {
    yield failure(
      'async',
      at('poll'),
      `\`${block.poll}\` is not a tool of this connector${suggestion(block.poll, siblings)}`,
    );
  }
  if (block.done_path === undefined && block.done_match === undefined)
    yield failure('async', at(), 'a watch needs `done_path` or `done_match` to know when to end');
  if (block.done_path !== undefined && block.done_match !== undefined)
    yield warning(
      'async',
      at('done_match'),
      'beside `done_path` either of the two ends the watch; one is usually meant',
    );
  for (const key of ['on_done', 'on_fail'] as const) {
    const outcome = block[key];
    if (outcome?.mode !== 'tool') continue;
    if (outcome.tool === undefined) yield failure('async', at(key), '`mode: tool` needs `tool`');
    else if (!siblings.includes(outcome.tool)) {
      yield failure(
        'async',
        at(key, 'tool'),
        `\`${outcome.tool}\` is not a tool of this connector${suggestion(outcome.tool, siblings)}`,
      );
    }
  }
  if (block.interval_sec !== undefined && block.interval_sec < WATCH_LIMITS.minIntervalSec) {
    yield warning('async', at('interval_sec'), `Forge polls every ${WATCH_LIMITS.minIntervalSec} seconds at most`);
  }
  if (block.max_polls !== undefined && block.max_polls > WATCH_LIMITS.maxPolls) {
    yield warning('async', at('max_polls'), `Forge stops after ${WATCH_LIMITS.maxPolls} polls`);
  }
  if (block.timeout_sec !== undefined && block.timeout_sec > WATCH_LIMITS.maxTimeoutSec) {
    yield warning('async', at('timeout_sec'), `Forge stops after ${WATCH_LIMITS.maxTimeoutSec} seconds`);
  }
}
