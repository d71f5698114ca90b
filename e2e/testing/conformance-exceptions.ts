/** Checks of the conformance suite that Forge does not pass, and why; docs/mcp.md has the same words. */
export interface Exception {
  scenario: string;
  checks: readonly string[];
  reason: string;
}

const NESTED_SCHEMA: Exception = {
  scenario: 'json-schema-2020-12',
  checks: ['json-schema-2020-12-tool-found'],
  reason: 'wants a tool whose schema has `$defs`. Manifests declare flat parameters, so there is nothing to refer to',
};

const PROMPT_WITH_PICTURE: Exception = {
  scenario: 'prompts-get-with-image',
  checks: ['prompts-get-with-image'],
  reason: "wants a prompt with a picture in it. Forge's prompt has none",
};

export const EXCEPTIONS_2025: readonly Exception[] = [
  {
    scenario: 'tools-call-sampling',
    checks: ['tools-call-sampling'],
    reason: "wants a tool that asks the client's model. Forge gives models tools and never asks them anything",
  },
  NESTED_SCHEMA,
  {
    scenario: 'elicitation-sep1034-defaults',
    checks: ['elicitation-sep1034-general'],
    reason: 'wants a form with five kinds of fields. Forge asks one question with one switch',
  },
  {
    scenario: 'elicitation-sep1330-enums',
    checks: ['elicitation-sep1330-general'],
    reason: 'wants forms with lists to choose from. Forge asks one question with one switch',
  },
  PROMPT_WITH_PICTURE,
];

export const EXCEPTIONS_2026: readonly Exception[] = [
  {
    scenario: 'server-stateless',
    checks: ['sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400'],
    reason:
      "two of its checks want a tool that needs the client's model (sampling), which no tool of Forge's does. The one capability Forge needs is that of tasks; the error it answers without it is checked by `tasks-capability-negotiation`, and the status 400 by `server/mcp/tasks.test.ts`",
  },
  NESTED_SCHEMA,
  PROMPT_WITH_PICTURE,
  {
    scenario: 'http-custom-header-server-validation',
    checks: [
      'sep-2243-server-no-xmcp-tool',
      'sep-2243-server-decode-base64',
      'sep-2243-server-validate-param-match',
      'sep-2243-server-reject-invalid-param-chars',
      'sep-2243-server-reject-param-mismatch',
    ],
    reason:
      'wants a tool that has clients repeat an argument in a header (`x-mcp-header`), for proxies that route by it. Between a client and Forge there is none, and a header would show arguments to whatever logs headers',
  },
  {
    scenario: 'input-required-result-basic-sampling',
    checks: ['sep-2322-sampling-incomplete'],
    reason: "wants a tool that asks the client's model, which Forge never does",
  },
  {
    scenario: 'input-required-result-basic-list-roots',
    checks: ['sep-2322-list-roots-incomplete'],
    reason: "wants a tool that asks for the client's folders, which Forge never does",
  },
  {
    scenario: 'input-required-result-request-state',
    checks: ['sep-2322-request-state-incomplete'],
    reason:
      'wants a question with `requestState`, which is optional. Forge keeps the question itself, under the id of its approval, and gives clients no state to carry',
  },
  {
    scenario: 'input-required-result-multiple-input-requests',
    checks: ['sep-2322-multiple-inputs-incomplete'],
    reason: 'wants a form, a question to the model and one for folders at once. Forge asks one question at a time',
  },
  {
    scenario: 'input-required-result-multi-round',
    checks: ['sep-2322-multi-round-r1'],
    reason:
      'wants two questions in a row with a `requestState` that changes. Forge does ask twice, for a host and then for the call, but without that',
  },
  {
    scenario: 'input-required-result-non-tool-request',
    checks: ['sep-2322-non-tool-incomplete'],
    reason: "wants a prompt that asks first. Forge's prompt needs no approval",
  },
  {
    scenario: 'input-required-result-tampered-state',
    checks: ['sep-2322-reject-tampered-state'],
    reason: 'wants a forged `requestState` refused. There is none to forge; an unknown or used approval is refused',
  },
  {
    scenario: 'input-required-result-capability-check',
    checks: ['sep-2322-respect-client-capabilities'],
    reason:
      "wants the client's model asked where there are no forms. Forge asks nobody there and holds the call for a person in Forge",
  },
];

export const EXCEPTIONS_TASKS: readonly Exception[] = [
  {
    scenario: 'tasks-lifecycle',
    checks: ['sep-2663-tasks-get-status-failed'],
    reason:
      'one of its checks wants a task that ends with an error of the protocol. Whatever ends a watch is something a model can read, so it is a result with `isError`',
  },
  {
    scenario: 'tasks-mrtr-input',
    checks: ['tasks-mrtr-partial-fulfillment'],
    reason: 'one of its checks wants a task with two open questions. A watch runs one tool at its end and asks one',
  },
  {
    scenario: 'tasks-required-task-error',
    checks: ['sep-2663-server-returns-missing-capability-when-required'],
    reason:
      'wants a tool refused to clients without tasks. Forge can serve them: they get the result of the call with the id of the watch',
  },
  {
    scenario: 'tasks-mrtr-composition',
    checks: ['sep-2663-mrtr-synchronous-before-task-creation'],
    reason:
      "wants the name that was filled in in the form in the task's result. Forge's form has one switch; that a task follows a yes is checked in `server/mcp/tasks.test.ts`",
  },
];
