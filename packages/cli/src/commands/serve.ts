import { parseAddress } from '../option-parsers.ts'
import { option, type CommandSpec } from './command.ts'
import {
  CONTEXT_OFFLOAD_OPTIONS,
  LIMIT_OPTIONS,
  listenOptions,
  MODEL_OPTIONS,
  offloaderOptions,
  STORE_OPTIONS,
} from './options.ts'

export const serveCommand: CommandSpec = {
  name: 'serve',
  summary: 'serve over HTTP: results, histories, and the endpoints of ReMe',
  description:
    'Serve the store over HTTP. Without --tokens, only this machine is served, in one scope; with tokens, callers ' +
    'have their own scopes. POST /context_offload, /grep and /read_file are as in ReMe; /openapi.json describes /v1.',
  options: [
    option('--quiet', 'log only faults, not every request'),
    option('--inspector', 'also serve the page of `spillway inspect`, at /inspector/'),
    ...listenOptions('address of the service (default: 127.0.0.1:8002)'),
    ...MODEL_OPTIONS,
    ...CONTEXT_OFFLOAD_OPTIONS,
    ...offloaderOptions('that of --max-tokens'),
    ...LIMIT_OPTIONS,
    ...STORE_OPTIONS,
  ],
  help: `
Examples:
  $ spillway serve
  $ spillway serve --model gpt-5-mini
  $ spillway serve --store redis://localhost:6379 --listen 0.0.0.0:8002 --tokens tokens.json --allow-host spill.example.com`,
  load: async () => (await import('../actions/serve.ts')).serve,
}

export const inspectCommand: CommandSpec = {
  name: 'inspect',
  summary: 'show the store in the browser: entries, previews, searches, savings',
  description:
    'Serve a page that shows stored content, its previews, and the saved tokens. Only this machine ' +
    'can open the page, with the printed URL, whose token is a secret. Content is shown as text and never runs.',
  options: [
    option('--listen <[host:]port>', 'loopback address of the page (default: a free port)', parseAddress),
    option('--allow-delete', 'let the page remove entries'),
    option('--no-open', 'only print the URL'),
    ...STORE_OPTIONS,
  ],
  help: `
Examples:
  $ spillway inspect
  $ spillway inspect --scope tenant-1 --listen 8004 --no-open`,
  load: async () => (await import('../actions/serve.ts')).inspect,
}
