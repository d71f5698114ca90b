import type { Static } from '@sinclair/typebox';
import type { AllowRequest, DecisionRequest } from '../../../shared/approvals-api.ts';
import { ForgeError } from '../../../shared/errors.ts';
import type { Approvals } from '../../approvals/approvals.ts';
import type { Described, DescribedLine } from './confirmations.ts';
import { valueLines } from './describe-request.ts';

type Decision = Static<typeof DecisionRequest>;
type Limits = NonNullable<Decision['standing']>;

/** The question that a person says yes to, as it was asked. */
export function describeDecision(approvals: Approvals, id: string, { standing }: Decision): Described {
  const approval = approvals.list({ status: 'pending' }).find((each) => each.id === id);
  if (approval === undefined) throw new ForgeError('not_found', 'this approval is no longer waiting');
  const [question = '', ...why] = approval.reason.split('\n');
  return {
    title: `Approve: ${question}`,
    verb: 'Approve',
    lines: [
      ...why.map((text) => ({ label: 'Why', text })),
      { label: 'Tool', text: approval.tool_id },
      { label: 'Asked by', text: approval.caller },
      ...(approval.host === null ? [] : [{ label: 'Host', text: approval.host }]),
      ...valueLines(approval.args ?? {}).filter(({ text }) => text !== '{}'),
      ...(standing === undefined
        ? []
        : [{ label: 'And later', text: 'the same without asking' }, ...limitLines(standing)]),
    ],
  };
}

export function describeAllowing({ tool_id: tool, ...limits }: Static<typeof AllowRequest>): Described {
  const title = `Let ${tool} run without asking`;
  return { title, verb: 'Allow', lines: [{ label: 'Tool', text: tool }, ...limitLines(limits)] };
}

function limitLines({ max_uses: uses, until, session_id: session, conditions }: Limits): DescribedLine[] {
  return [
    { label: 'Calls', text: uses === undefined ? 'any number' : `${uses}` },
    { label: 'Until', text: until ?? 'it is revoked' },
    ...(session === undefined ? [] : [{ label: 'Only in', text: `conversation ${session}` }]),
    ...valueLines(conditions).map(({ label, text }) => ({ label: `Only if ${label}`, text })),
  ];
}
