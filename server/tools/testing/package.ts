import type { ConnectorPackage, Tool } from '../../../shared/manifest/connector.ts';
import { lintManifest } from '../../../shared/manifest/lint.ts';

/** A package from the lines of its tools and whatever else it has. */
export function packageOf(rest: string): ConnectorPackage {
  const report = lintManifest(`id: demo\nname: Demo\nversion: "1.0.0"\n${rest}`, { forgeVersion: '1.0.0' });
  if (report.package === null) throw new Error(JSON.stringify(report.diagnostics));
  return report.package;
}

/** Its only connector's tool of that name. */
export function toolOf(pack: ConnectorPackage, name = 't'): Tool {
  const tool = pack.connectors[0]?.tools[name];
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}
