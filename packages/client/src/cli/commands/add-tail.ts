import type { Command } from 'commander';
import type { CommonOptions } from '../create-program.ts';
import { openGateway } from '../settings/open-gateway.ts';
import { toHeaders } from './to-headers.ts';

interface TailOptions extends CommonOptions {
  readonly header?: Headers;
}

/** Adds `berth tail`. */
export function addTail(program: Command, signal: AbortSignal): Command {
  return program
    .command('tail')
    .description('Prints the events (SSE) of a hosted service as they come, until Ctrl-C.')
    .argument('<service>', 'name of the service')
    .argument('[path]', 'path within the service, query included', '')
    .option('-H, --header <header>', 'as "Name: value"; may stand more than once', toHeaders)
    .addHelpText(
      'after',
      '\nPrints the data of each event; with --json one object { id, event, data } a line.',
    )
    .action((service: string, path: string, options: TailOptions) =>
      tail(service, path, options, signal),
    );
}

async function tail(name: string, path: string, options: TailOptions, signal: AbortSignal) {
  const { json, header: headers } = options;
  const gateway = await openGateway(options);
  for await (const event of gateway.service(name).events(path, { headers, signal })) {
    const { id, event: type, data } = event;
    process.stdout.write(`${json ? JSON.stringify({ id, event: type, data }) : data}\n`);
  }
}
