import { isRecord } from '../../../../shared/json.ts';
import type { DiscoveredAgent, DiscoveredModel, DiscoveredSkill } from '../../managers.ts';

/** Skills as both of Hermes' servers list them; only the dashboard says whether they are on. */
export function skillsOf(answer: unknown): DiscoveredSkill[] {
  return listIn(answer, 'data').map((skill) => ({
    key: textAt(skill, 'name'),
    name: textAt(skill, 'name'),
    description: textAt(skill, 'description'),
    ...(typeof skill['enabled'] === 'boolean' ? { enabled: skill['enabled'] } : {}),
  }));
}

/** The models of every provider that Hermes is signed in to. */
export function modelsOf(answer: unknown): DiscoveredModel[] {
  return listIn(answer, 'providers').flatMap((provider) => {
    const slug = textAt(provider, 'slug');
    const models: unknown[] = Array.isArray(provider['models']) ? provider['models'] : [];
    return models.flatMap((id) => (typeof id === 'string' ? [{ id, name: id, provider: slug }] : []));
  });
}

export function profilesOf(answer: unknown): DiscoveredAgent[] {
  return listIn(answer, 'profiles').map((profile) => {
    const [id, model] = [textAt(profile, 'name'), textAt(profile, 'model')];
    return { id, name: id, ...(model === '' ? {} : { model }) };
  });
}

/** A list that is the whole answer, or stands in it under a name. */
export function listIn(answer: unknown, name: string): Record<string, unknown>[] {
  const list: unknown = isRecord(answer) ? answer[name] : answer;
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

export function textAt(value: Record<string, unknown>, name: string): string {
  const text = value[name];
  return typeof text === 'string' ? text : '';
}
