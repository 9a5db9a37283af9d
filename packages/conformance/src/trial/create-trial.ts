import { toSentSize } from '../http/exchange.ts';
import type { Finding } from '../result.ts';
import { Failed, Inapplicable, Unreached } from './endings.ts';
import { createFixtureTool } from './fixture-tool.ts';
import { createGatewayTool } from './gateway-tool.ts';
import { createRunCaller, type Run } from './run.ts';
import { createStorageTool } from './storage-tool.ts';
import type { Evidence } from './to-evidence.ts';
import { toEvidence } from './to-evidence.ts';
import type { Trial } from './trial.ts';

import { createUploadTool } from './upload-tool.ts';

/** What a check has done and found so far. */
export interface Record {
  findings: Finding[];
  notes: string[];
  requests: number;
  bytes: number;
  assertions: number;
}

/** Longest list of findings that one check reports. */
const MOST_FINDINGS = 20;

/**
 * @param rule the check's own name, for what it stores
 * @param where the place in the contract that findings name
 */
export function createTrial(run: Run, rule: string, where: string): Trial & { record: Record } {
  const record: Record = { findings: [], notes: [], requests: 0, bytes: 0, assertions: 0 };
  let last: Evidence | undefined;
  let names = 0;

  const inner = createRunCaller(run, (sent) => {
    record.requests += 1;
    record.bytes += toSentSize(sent);
  });
  const caller: typeof inner = {
    async call(call) {
      const exchange = await inner.call(call);
      last = exchange;
      return exchange;
    },
    async open(call) {
      const exchange = await inner.open(call);
      last = exchange;
      return exchange;
    },
  };

  const expect: Trial['expect'] = (holds, message, evidence = last) => {
    // What the end of the run has cut off is nobody's breach.
    if (run.signal.aborted) return;
    record.assertions += 1;
    if (holds || record.findings.length >= MOST_FINDINGS) return;
    record.findings.push({ message, where, ...(evidence ? toEvidence(evidence) : {}) });
  };

  const gatewayTool = createGatewayTool(run, caller);
  const gateway: Trial['gateway'] = {
    ...gatewayTool,
    async upgrade(call, protocols) {
      record.requests += 1;
      const upgrade = await gatewayTool.upgrade(call, protocols);
      record.bytes += toSentSize(upgrade.sent);
      last = upgrade.refusal ?? upgrade;
      return upgrade;
    },
  };
  const folder = `${run.settings.prefix}/${run.mark}/${rule.toLowerCase()}`;
  const storage = createStorageTool(run, caller, folder);

  return {
    record,
    settings: run.settings,
    signal: run.signal,
    gateway,
    storage,
    fixture: createFixtureTool(gateway),
    upload: createUploadTool(run, caller, storage),
    expect,
    require(holds, message, evidence): asserts holds {
      expect(holds, message, evidence);
      if (!holds) throw new Failed(message);
    },
    reach(holds, reason): asserts holds {
      if (!holds) throw new Unreached(reason);
    },
    apply(applies, reason): asserts applies {
      if (!applies) throw new Inapplicable(reason);
    },
    note: (text) => void record.notes.push(text),
    uniqueName: () => {
      names += 1;
      return `berth-${run.mark}-${rule.toLowerCase()}-${names}`.slice(0, 60);
    },
  };
}
