import type { GetPromptResult, Prompt } from '@modelcontextprotocol/server';
import { ForgeError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/json.ts';
import { AUTHORING_GUIDE } from './authoring-guide.ts';

export const GUIDE_URI = 'forge://docs/authoring';

const AUTHOR: Prompt = {
  name: 'author_connector',
  title: 'Write a connector',
  description:
    'An interview that ends in a manifest: what the service is, how one logs in, and which tools are wanted.',
  arguments: [
    { name: 'service', description: 'The service or program to connect, e.g. "our Jenkins".', required: true },
    { name: 'goal', description: 'What you want to be able to do with it.' },
  ],
};

/** The answer to prompts/list. */
export const PROMPT_LIST: string = JSON.stringify({ prompts: [AUTHOR] });

/** The answer to prompts/get. */
export function getPrompt(params: Record<string, unknown>): GetPromptResult {
  if (params['name'] !== AUTHOR.name) {
    throw new ForgeError(
      'invalid_request',
      `there is no prompt ${JSON.stringify(params['name'] ?? null).slice(0, 100)}`,
      {
        hint: 'prompts/list shows them.',
      },
    );
  }
  const args = isRecord(params['arguments']) ? params['arguments'] : {};
  const [service, goal] = [textIn(args, 'service'), textIn(args, 'goal')];
  if (service === '') throw new ForgeError('invalid_request', 'the prompt needs the argument service');
  const resource = { uri: GUIDE_URI, mimeType: 'text/markdown', text: AUTHORING_GUIDE };
  return {
    description: `Write a connector for ${service}`,
    messages: [
      { role: 'user', content: { type: 'resource', resource } },
      { role: 'user', content: { type: 'text', text: interview(service, goal) } },
    ],
  };
}

function textIn(args: Record<string, unknown>, name: string): string {
  const value = args[name];
  return typeof value === 'string' ? value.trim().slice(0, 2000) : '';
}

function interview(service: string, goal: string): string {
  return `Help me write a Forge connector for ${service}.${goal === '' ? '' : ` I want to ${goal}.`}

The guide above describes the format. Interview me first, one question at a time, and do not ask what you can find out yourself:

1. Does it have an HTTP API, a command-line program, or only a web page I am logged in to? That decides the kind of tools.
2. Where is it, and how does one log in? Which of that is a secret? Never ask me for a secret itself: I enter it in Forge.
3. Which three to ten things should be possible? Start with what I do most. For each: what goes in, what should come out.
4. Which of them change something? Those are destructive. Commands, scripts and POST requests that only read are read_only.

Then write the whole manifest.yaml. Read it once more with these questions: could a model that sees only the descriptions use it? Is every
argument described? Does each tool return no more than is needed? Is everything that changes something marked? Tell me how to check, install
and test it, and mention what you were unsure about.`;
}
