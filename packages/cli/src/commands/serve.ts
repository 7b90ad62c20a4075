import type { Command } from 'commander'
import { action } from '../action.ts'
import { addListenOptions } from '../listen-options.ts'
import { addAnswerOptions, addResultOptions } from '../mcp/offloader-options.ts'
import { addModelOptions } from '../model/model-options.ts'
import { addContextOffloadOptions } from '../serve/context-offload-options.ts'
import { addLimitOptions } from '../serve/limit-options.ts'
import { addStoreOptions } from '../store-options.ts'

export function addServeCommand(program: Command): void {
  const command = program
    .command('serve')
    .summary('serve over HTTP: results, histories, and the endpoints of ReMe')
    .description(
      'Serve the store over HTTP. Without --tokens only this machine is served, in one scope; with them, each caller in its ' +
        'own. POST /context_offload, /grep, /read_file are those of ReMe; what is under /v1 is described at /openapi.json.',
    )
    .option('--quiet', 'log faults alone, not every request')
  addListenOptions(command, 'where to serve (default: 127.0.0.1:8002)')
  addModelOptions(command)
  addContextOffloadOptions(command)
  addResultOptions(command)
  addAnswerOptions(command, 'that of --max-tokens')
  addLimitOptions(command)
  addStoreOptions(command, { json: false })
  command.addHelpText(
    'after',
    `
Examples:
  $ spillway serve
  $ spillway serve --model gpt-5-mini
  $ spillway serve --store redis://localhost:6379 --listen 0.0.0.0:8002 --tokens tokens.json --allow-host spill.example.com`,
  )
  action(command, async () => (await import('../actions/serve.ts')).serve)
}
