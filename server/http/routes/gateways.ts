import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { ForgeError } from '../../../shared/errors.ts';
import { GatewaysAnswer } from '../../../shared/execution-api.ts';
import type { JsonObject } from '../../../shared/json.ts';
import type { ExecutionAdapter } from '../../execution/adapter.ts';
import type { Gateways } from '../../execution/gateways.ts';
import {
  isAgentManager,
  isRuntimeDiscovery,
  isRuntimeManager,
  isSkillManager,
  isSystemManager,
  type AgentManager,
  type RuntimeManager,
  type SkillManager,
} from '../../execution/managers.ts';
import { route, type Reply, type Route } from '../route.ts';
import type { Services } from '../services.ts';

const Text = Type.String({ maxLength: 200 });
const AgentBody = Type.Object({
  id: Type.Optional(Text),
  name: Type.Optional(Text),
  systemPrompt: Type.Optional(Type.String()),
  model: Type.Optional(Text),
  workspace: Type.Optional(Type.String({ maxLength: 2000 })),
});
const SkillBody = Type.Object({
  name: Type.Optional(Text),
  content: Type.Optional(Type.String()),
  source: Type.Optional(Type.String({ maxLength: 2000 })),
});
const FileBody = Type.Object({ content: Type.String() }, { additionalProperties: false });
const InstallBody = Type.Object({ installId: Text }, { additionalProperties: false });
const Changes = Type.Unsafe<JsonObject>({ type: 'object' });

/** Runtimes that are loaded, and what those that manage agents and skills let a person do with them. */
export function gatewayRoutes({ execution: { gateways, orchestrator } }: Services): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/v2/gateways',
      summary: 'The execution adapters that are loaded: their health, what they can do, and what they are doing.',
      access: 'token',
      answers: { status: 200, schema: GatewaysAnswer },
      handle: async () => {
        const views = await gateways.list();
        const shown = views.map((view) => ({ ...view, ...orchestrator.load(view.provider) }));
        return { body: { default: views[0]?.provider ?? null, gateways: shown } };
      },
    }),
    ...agentRoutes(gateways),
    ...fileRoutes(gateways),
    ...skillRoutes(gateways),
    ...systemRoutes(gateways),
  ];
}

type Params = Readonly<Record<string, string>>;

/** A management route: it is there for runtimes that have what it needs, and for others it is not. */
function manage<B extends TSchema>(
  gateways: Gateways,
  method: Route['method'],
  path: string,
  summary: string,
  body: B | undefined,
  work: (adapter: ExecutionAdapter, params: Params, body: Static<B>) => Promise<Reply | null>,
): Route {
  return route({
    ...{ method, path: `/api/gateway/:provider${path}`, summary, access: 'token' },
    ...(body === undefined ? {} : { body: { json: body } }),
    answers: { status: 200, schema: Type.Unknown() },
    handle: async (request) => {
      const adapter = await gateways.find(request.params['provider'] ?? '');
      const reply = await work(adapter, request.params, request.body);
      if (reply === null)
        throw new ForgeError('not_found', `${adapter.provider} does not manage this`, {
          hint: 'GET /api/v2/gateways shows what each runtime manages, docs/adapters.md what it needs for that.',
        });
      return reply;
    },
  });
}

function agentRoutes(gateways: Gateways): Route[] {
  const path = '/agents/:agent';
  return [
    manage(gateways, 'GET', '/agents', 'The agents of a runtime.', undefined, async (adapter) => {
      if (isAgentManager(adapter)) return { body: { agents: await adapter.listAgents() } };
      return isRuntimeDiscovery(adapter) ? { body: { agents: await adapter.discoverAgents() } } : null;
    }),
    manage(gateways, 'POST', '/agents', 'Make an agent.', AgentBody, async (adapter, _params, { id, ...spec }) => {
      if (!isAgentManager(adapter)) return null;
      if (id === undefined) throw new ForgeError('invalid_request', 'the id of the agent is required');
      return { status: 201, body: { agent: await adapter.createAgent({ id, ...spec }) } };
    }),
    manage(gateways, 'PUT', path, 'Bring an agent to a runtime.', AgentBody, async (adapter, { agent }, spec) => {
      if (!isRuntimeManager(adapter)) return null;
      await adapter.pushAgent({ ...spec, id: agent ?? '' });
      return { body: { ok: true } };
    }),
    manage(
      gateways,
      'PATCH',
      path,
      'Change an agent.',
      AgentBody,
      async (adapter, { agent }, { id: _id, ...changes }) => {
        if (!isAgentManager(adapter)) return null;
        await adapter.updateAgent(agent ?? '', changes);
        return { body: { ok: true } };
      },
    ),
    manage(gateways, 'DELETE', path, 'Remove an agent.', undefined, async (adapter, { agent }) => {
      const remove = removal(adapter);
      if (remove === null) return null;
      await remove(agent ?? '');
      return { body: { ok: true } };
    }),
    manage(gateways, 'GET', `${path}/bindings`, 'An agent’s channels.', undefined, async (adapter, { agent }) =>
      isAgentManager(adapter) ? { body: { channels: await adapter.listBindings(agent ?? '') } } : null,
    ),
    bindingRoute(gateways, 'PUT', 'Bind a channel to an agent.', (agents, ...args) => agents.bindChannel(...args)),
    bindingRoute(gateways, 'DELETE', 'Take a channel from an agent.', (agents, ...args) =>
      agents.unbindChannel(...args),
    ),
  ];
}

function removal(adapter: ExecutionAdapter): ((agentId: string) => Promise<void>) | null {
  if (isAgentManager(adapter)) return (id) => adapter.deleteAgent(id);
  return isRuntimeManager(adapter) ? (id) => adapter.removeAgent(id) : null;
}

function bindingRoute(
  gateways: Gateways,
  method: 'PUT' | 'DELETE',
  summary: string,
  change: (agents: AgentManager, agentId: string, channel: string) => Promise<void>,
): Route {
  return manage(gateways, method, '/agents/:agent/bindings/:channel', summary, undefined, async (adapter, params) => {
    if (!isAgentManager(adapter)) return null;
    await change(adapter, params['agent'] ?? '', params['channel'] ?? '');
    return { body: { ok: true } };
  });
}

function fileRoutes(gateways: Gateways): Route[] {
  const path = '/agents/:agent/files';
  return [
    manage(gateways, 'GET', path, 'The files of an agent’s workspace.', undefined, async (adapter, { agent }) =>
      isAgentManager(adapter) ? { body: { files: await adapter.listFiles(agent ?? '') } } : null,
    ),
    manage(gateways, 'GET', `${path}/:file`, 'A file of a workspace.', undefined, async (adapter, { agent, file }) =>
      isAgentManager(adapter) ? { body: { content: await adapter.readFile(agent ?? '', file ?? '') } } : null,
    ),
    manage(
      gateways,
      'PUT',
      `${path}/:file`,
      'Write a file of a workspace.',
      FileBody,
      async (adapter, params, { content }) => {
        const { agent = '', file = '' } = params;
        if (isAgentManager(adapter)) await adapter.writeFile(agent, file, content);
        else if (isRuntimeManager(adapter)) await adapter.pushFile(agent, file, content);
        else return null;
        return { body: { ok: true } };
      },
    ),
  ];
}

function skillRoutes(gateways: Gateways): Route[] {
  const path = '/skills/:skill';
  return [
    manage(
      gateways,
      'GET',
      '/skills',
      'The skills of a runtime, and whether they can run.',
      undefined,
      async (adapter) => {
        if (isSkillManager(adapter))
          return { body: { skills: await adapter.listSkills(), status: await adapter.skillStatus() } };
        return isRuntimeDiscovery(adapter) ? { body: { skills: await adapter.discoverSkills() } } : null;
      },
    ),
    manage(gateways, 'PUT', path, 'Bring a skill to a runtime.', SkillBody, async (adapter, { skill }, spec) => {
      const install = installation(adapter);
      if (install === null) return null;
      await install({ ...spec, key: skill ?? '' });
      return { body: { ok: true } };
    }),
    manage(gateways, 'PATCH', path, 'Change a skill.', Changes, async (adapter, { skill }, changes) => {
      if (!isSkillManager(adapter)) return null;
      await adapter.updateSkill(skill ?? '', changes);
      return { body: { ok: true } };
    }),
    manage(gateways, 'DELETE', path, 'Remove a skill.', undefined, async (adapter, { skill }) => {
      if (isSkillManager(adapter)) await adapter.deleteSkill(skill ?? '');
      else if (isRuntimeManager(adapter)) await adapter.removeSkill(skill ?? '');
      else return null;
      return { body: { ok: true } };
    }),
    manage(
      gateways,
      'POST',
      `${path}/install`,
      'Install what a skill needs.',
      InstallBody,
      async (adapter, { skill }, body) => {
        if (!isSkillManager(adapter)) return null;
        await adapter.installDependencies(skill ?? '', body.installId);
        return { body: { ok: true } };
      },
    ),
  ];
}

function installation(adapter: ExecutionAdapter): SkillManager['installSkill'] | RuntimeManager['pushSkill'] | null {
  if (isSkillManager(adapter)) return (spec) => adapter.installSkill(spec);
  return isRuntimeManager(adapter) ? (spec) => adapter.pushSkill(spec) : null;
}

function systemRoutes(gateways: Gateways): Route[] {
  return [
    manage(gateways, 'GET', '/models', 'The models of a runtime.', undefined, async (adapter) => {
      if (isSystemManager(adapter)) return { body: { models: await adapter.modelCatalog() } };
      return isRuntimeDiscovery(adapter) ? { body: { models: await adapter.discoverModels() } } : null;
    }),
    manage(gateways, 'GET', '/security', 'How safe a runtime is set up.', undefined, async (adapter) =>
      isSystemManager(adapter) ? { body: await adapter.securityPosture() } : null,
    ),
    manage(gateways, 'POST', '/reload', 'Have a runtime read its configuration again.', undefined, async (adapter) => {
      if (!isSystemManager(adapter)) return null;
      await adapter.reloadConfig();
      return { body: { ok: true } };
    }),
  ];
}
