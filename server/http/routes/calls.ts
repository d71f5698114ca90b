import type { Static } from '@sinclair/typebox';
import {
  CallAnswerBody,
  CallRequestBody,
  ConnectorToolAnswer,
  ConnectorToolRequest,
  TestAnswer,
  TestQuery,
} from '../../../shared/api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import type { StopSignal } from '../../../shared/stop-signal.ts';
import { MAX_SILENT_MS } from '../../tools/asked-meanwhile.ts';
import type { CallAnswer, CallRequest } from '../../tools/call-tool.ts';
import { callUntilSettled } from '../../tools/call-until-settled.ts';
import { watchNote } from '../../tools/catalogue/call-text.ts';
import type { Caller } from '../../tools/hooks.ts';
import type { TestListener } from '../../tools/test-steps.ts';
import { eventStream } from '../event-stream.ts';
import type { TellError } from '../middleware/answer-errors.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

/** Calling tools, and trying a connector out. */
export function callRoutes({ calls, chat }: Services, tellError: TellError): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/tools/:id/call',
      summary: 'Call a tool. With Accept: text/event-stream, output and questions to a person come while it runs.',
      access: 'token',
      fromPage: 'uses',
      direct: true,
      body: { json: CallRequestBody },
      answers: { status: 200, schema: CallAnswerBody },
      handle: async ({ params, body, header, signal }) => {
        // What is reported into a conversation that is not there, nobody would read.
        if (body.session_id !== undefined) chat.require(body.session_id);
        const request: CallRequest & { signal: StopSignal } = {
          toolId: params['id'] ?? '',
          args: body.args,
          caller: callerOf(header('x-forge-client'), body.caller),
          dryRun: body.dry_run === true,
          browser: body.browser,
          watch: { sessionId: body.session_id ?? null, parentId: null, depth: 0 },
          signal: signal(),
        };
        if (!header('accept').includes('text/event-stream')) return answer(await callOrHold(calls, body, request));
        const tell = (failure: unknown) => tellError(failure, { stream: request.toolId }).json;
        return eventStream(tell, async (send) => {
          const outcome = await callOrHold(calls, body, {
            ...request,
            onOutput: (stream, text) => send('output', JSON.stringify({ stream, text })),
            onAsked: (approval_id, message) => send('waiting', JSON.stringify({ approval_id, message })),
          });
          const { json, body: other } = answer(outcome);
          send('answer', json ?? JSON.stringify(other));
        });
      },
    }),
    route({
      method: 'POST',
      path: '/api/connector-tool',
      summary: 'Call a tool and get its result as text, as older clients expect it.',
      access: 'token',
      fromPage: 'uses',
      body: { json: ConnectorToolRequest },
      answers: { status: 200, schema: ConnectorToolAnswer },
      handle: async ({ body, header, signal }) => {
        const caller = callerOf(header('x-forge-client'), undefined);
        const request = { toolId: `${body.plugin_id}.${body.tool}`, args: body.input, caller, signal: signal() };
        return { body: asText(await callOrHold(calls, {}, request)) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/connectors/:id/test',
      summary: 'Run a connector’s own test. With Accept: text/event-stream, each step comes as it ends.',
      access: 'token',
      fromPage: 'uses',
      query: TestQuery,
      answers: { status: 200, schema: TestAnswer },
      handle: async ({ params, query, header, signal }) => {
        const id = params['id'] ?? '';
        const request = { instance: query.instance, signal: signal() };
        if (!header('accept').includes('text/event-stream')) return { body: await calls.test(id, request) };
        const tell = (failure: unknown) => tellError(failure, { stream: `${id} test` }).json;
        return eventStream(tell, async (send) => {
          const listener: TestListener = {
            onPlan: (plan) => send('plan', JSON.stringify(plan)),
            onStep: (step) => send('step', JSON.stringify(step)),
          };
          send('answer', JSON.stringify(await calls.test(id, { ...request, listener })));
        });
      },
    }),
  ];
}

/** Calls, and waits for a person where the client wants that, as long as it stays. */
function callOrHold(
  calls: Services['calls'],
  { approval_id: approvalId, wait_for_approval: isHeld = false }: Static<typeof CallRequestBody>,
  request: CallRequest & { signal: StopSignal },
): Promise<CallAnswer> {
  const { signal, onAsked } = request;
  // A browser asks in a window of its own; whoever hears nothing of that is not kept waiting until the window closes.
  const silentMs = onAsked === undefined ? Math.min(calls.holdMs, MAX_SILENT_MS) : undefined;
  request.holdMs = isHeld ? calls.holdMs : silentMs;
  request.approvalId = approvalId;
  if (!isHeld) return calls.call(request);
  return callUntilSettled({
    once: (id) => calls.call({ ...request, approvalId: id }),
    settle: async ({ approvalId: id, reason }) => {
      onAsked?.(id, reason, () => undefined);
      return calls.waits.wait(id, { signal, limitMs: calls.holdMs });
    },
    approvalId,
  });
}

/** The client's own word for itself; it is for people who read the log, and decides nothing. */
function callerOf(header: string, given: string | undefined): Caller {
  const name = (given ?? header).slice(0, 100);
  return { kind: header === 'forge-cli' ? 'cli' : 'api', name: name === '' ? 'api' : name };
}

function answer(outcome: CallAnswer): Reply {
  const call_id = outcome.callId;
  switch (outcome.kind) {
    case 'done': {
      const { json, response, handle, durationMs, watchId: watch_id } = outcome;
      const rest = JSON.stringify({ call_id, duration_ms: rounded(durationMs), response, handle, watch_id });
      return { json: `{"ok":true,"result":${json},${rest.slice(1)}` };
    }
    case 'failed':
      return {
        body: { ok: false, error: errorBody(outcome.error), call_id, duration_ms: rounded(outcome.durationMs) },
      };
    case 'dry-run':
      return { body: { ok: true, dry_run: outcome.job, call_id } };
    case 'approval': {
      const { code, message, hint } = new ForgeError('approval_required', outcome.reason);
      return { status: 409, body: { error: { code, message, hint }, approval_id: outcome.approvalId, call_id } };
    }
  }
}

/** Microseconds are as exact as a clock is; more digits only take time to write. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function asText(outcome: CallAnswer): { content: string; is_error: boolean } {
  switch (outcome.kind) {
    case 'done': {
      const { watchId } = outcome;
      const watched = watchId === undefined ? '' : `\n\n${watchNote(watchId)}`;
      return { content: outcome.text() + watched, is_error: false };
    }
    case 'failed':
      return { content: `${outcome.error.code}: ${outcome.error.message}\n${outcome.error.hint}`, is_error: true };
    case 'approval':
      return { content: `approval_required: ${outcome.reason} (approval ${outcome.approvalId})`, is_error: true };
    case 'dry-run':
      return { content: JSON.stringify(outcome.job), is_error: false };
  }
}

function errorBody({ code, message, hint, details }: ForgeError): Record<string, unknown> {
  return { code, message, hint, ...(details === undefined ? {} : { details }) };
}
