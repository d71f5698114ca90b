import { createHmac } from 'node:crypto';
import type { HttpRequest, Runner } from '../../runners/job.ts';
import { SERVER_RETRY_MS, type Channel } from './channel.ts';
import type { ChannelSettings } from './channel-settings.ts';
import { postJson } from './post-json.ts';

interface WebhookDeps {
  http: Runner<HttpRequest>;
  choices: ChannelSettings['choices'];
  now: () => number;
}

/**
 * Signed as the Standard Webhooks specification says, for which there are libraries in every language. A report keeps its id however
 * often it is sent, so that a receiver can tell one that it has already.
 */
export function webhookChannel({ http, choices, now }: WebhookDeps): Channel {
  return {
    name: 'webhook',
    retryMs: SERVER_RETRY_MS,
    takes: () => {
      const { webhookUrl, webhookSecret } = choices();
      return webhookUrl !== '' && webhookSecret !== '';
    },
    async send(report, signal) {
      const { webhookUrl, webhookSecret } = choices();
      const { id, kind, watchId, toolId, sessionId, reason, text, words, createdAt } = report;
      const body = JSON.stringify({
        type: `watch.${kind}`,
        timestamp: new Date(createdAt).toISOString(),
        data: { report_id: id, watch_id: watchId, tool_id: toolId, session_id: sessionId, reason, text, words },
      });
      const timestamp = String(Math.floor(now() / 1000));
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${signature(webhookSecret, `${id}.${timestamp}.${body}`)}`,
      };
      await postJson(http, { url: webhookUrl, headers, body }, signal);
    },
  };
}

function signature(secret: string, content: string): string {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  const key = encoded === undefined ? Buffer.from(secret) : Buffer.from(encoded, 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
