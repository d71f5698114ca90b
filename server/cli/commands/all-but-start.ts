import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addApprovalsCommands } from './approvals/group.ts';
import { addBrowsersCommands } from './browsers/group.ts';
import { addCallCommand } from './call.ts';
import { addCallsCommands } from './calls/group.ts';
import { addChatCommand } from './chat.ts';
import { addConnectorCommands } from './connector/group.ts';
import { addDoctorCommand } from './doctor.ts';
import { addInspectCommand } from './inspect.ts';
import { addMarketplaceCommand } from './marketplace.ts';
import { addMcpCommands } from './mcp/group.ts';
import { addResultCommand } from './result.ts';
import { addSecretsCommands } from './secrets.ts';
import { addServiceCommands } from './service.ts';
import { addSessionsCommands } from './sessions.ts';
import { addSshCommands } from './ssh/group.ts';
import { addTokenCommand } from './token.ts';
import { addToolsCommand } from './tools.ts';
import { addUpdateCommands } from './update.ts';
import { addVersionCommand } from './version.ts';
import { addWatchCommands } from './watch/group.ts';

/** Every command but `start`, in the order in which they are listed. */
export function addCommands(program: Command, cli: Cli): void {
  addConnectorCommands(program, cli);
  addMarketplaceCommand(program, cli);
  addToolsCommand(program, cli);
  addCallCommand(program, cli);
  addChatCommand(program, cli);
  addResultCommand(program, cli);
  addCallsCommands(program, cli);
  addApprovalsCommands(program, cli);
  addWatchCommands(program, cli);
  addBrowsersCommands(program, cli);
  addInspectCommand(program, cli);
  addMcpCommands(program, cli);
  addSshCommands(program, cli);
  addSessionsCommands(program, cli);
  addTokenCommand(program, cli);
  addSecretsCommands(program, cli);
  addServiceCommands(program, cli);
  addUpdateCommands(program, cli);
  addDoctorCommand(program, cli);
  addVersionCommand(program, cli);
}
