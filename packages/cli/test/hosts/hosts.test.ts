/** `spillway hook HOST`, started by the real hosts with the settings that the installer has written. */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { isFull } from '@spillway-internal/test-run'
import { expect, it } from 'vitest'
import { BIN, spillwayProcess, start, temporaryFolder } from '../spillway.ts'
import { startLoopbackModel } from './loopback-model.ts'

interface HostProgram {
  readonly program: string
  /** The npm package with a version that worked. The full verification runs it. */
  readonly packageName: string
  /** Files below the home folder, for a model at this URL. */
  readonly files: (url: string) => Readonly<Record<string, string | object>>
  readonly env?: (url: string) => Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly installs?: readonly string[]
  /** Path below the home folder of the file that the installer changes. */
  readonly added: string
}

const HOSTS: Readonly<Record<string, HostProgram>> = {
  codex: {
    program: 'codex',
    packageName: '@openai/codex@0.171.0',
    files: (url) => ({
      // Codex starts a login shell, which reads this file.
      '.profile': 'PATH="$HOME/bin:$PATH"\n',
      '.codex/config.toml':
        'model = "gpt-5"\nmodel_provider = "loopback"\n[model_providers.loopback]\nname = "loopback"\n' +
        `base_url = "${url}/v1"\nwire_api = "responses"\n`,
    }),
    args: ['exec', '--skip-git-repo-check', '-s', 'danger-full-access', '--dangerously-bypass-hook-trust', 'Go.'],
    added: '.codex/hooks.json',
  },
  'gemini-cli': {
    program: 'gemini',
    packageName: '@google/gemini-cli@0.61.0',
    files: () => ({
      '.gemini/settings.json': {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        tools: { allowed: ['run_shell_command(cat)'] },
      },
    }),
    env: (url) => ({ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url }),
    args: ['-m', 'gemini-2.5-flash', '--skip-trust', '-p', 'Go.'],
    installs: ['--allow'],
    added: '.gemini/settings.json.spillway-backup',
  },
  opencode: {
    program: 'opencode',
    packageName: 'opencode-ai@1.18.34',
    files: (url) => ({
      '.config/opencode/opencode.json': {
        autoupdate: false,
        share: 'disabled',
        model: 'loopback/m',
        small_model: 'loopback/m',
        provider: {
          loopback: {
            npm: '@ai-sdk/openai-compatible',
            name: 'loopback',
            options: { baseURL: `${url}/v1`, apiKey: 'none' },
            models: { m: { name: 'm', tool_call: true, limit: { context: 100_000, output: 1_000 } } },
          },
        },
      },
    }),
    args: ['run', 'Go.'],
    added: '.config/opencode/plugins/spillway.js',
  },
}

/** Folder of a host's program: on the path, or from npm in the full verification. `undefined` if it is missing. */
function folderOf({ program, packageName }: HostProgram): string | undefined {
  const found = (process.env['PATH'] ?? '').split(delimiter).find((folder) => existsSync(join(folder, program)))
  if (found !== undefined || !isFull) return found
  const prefix = join(import.meta.dirname, '../../node_modules/.cache/hosts')
  const installed = spawnSync('npm', ['install', '--no-save', '--prefix', prefix, packageName], { encoding: 'utf8' })
  return installed.status === 0 ? join(prefix, 'node_modules/.bin') : undefined
}

const LINES = Array.from({ length: 20_000 }, (_, line) => `line ${line} ${line === 19_876 ? 'status=FAILED' : 'ok'}`)

it.for(Object.entries(HOSTS))(
  '%s shows its model the preview, runs the command in it, and is unchanged after undo',
  async ([name, { program, files, env = () => ({}), args, installs = [], added, ...host }], { skip }) => {
    const folder = folderOf({ program, files, args, added, ...host })
    if (folder === undefined) return skip(`${program} is not on the path.`)
    const seen: string[] = []
    const url = await startLoopbackModel((results) => {
      seen.splice(0, Infinity, ...results)
      const [, command = 'true'] = /^ {2}(spillway get .*?) --pattern REGEX/m.exec(results[0] ?? '') ?? []
      return ['cat app.log', `${command} --pattern FAILED --context 0`][results.length]
    })
    const home = temporaryFolder()
    const project = join(home, 'project')
    write(home, { ...files(url), 'project/app.log': LINES.join('\n'), 'bin/spillway': SPILLWAY })
    chmodSync(join(home, 'bin/spillway'), 0o755)
    const before = filesOf(home)
    const environment = {
      ...env(url),
      HOME: home,
      PWD: project,
      PATH: [join(home, 'bin'), folder, process.env['PATH']].join(delimiter),
    }
    const options = { cwd: project, env: environment }

    expect(await spillwayProcess(['hook', name, 'install', '--user', ...installs], options)).toMatchObject({ code: 0 })
    expect(filesOf(home)).toContain(added)
    const ended = await start(program, args, options).end
    expect({ seen: seen.length, ended }).toMatchObject({ seen: 2, ended: { code: 0 } })
    expect(seen[0]).toMatch(/^\[Offloaded: 1 block/)
    expect(seen[1]).toMatch(/> \d+\| line 19876 status=FAILED/)

    expect(await spillwayProcess(['hook', name, 'undo', '--user'], options)).toMatchObject({ code: 0 })
    expect(filesOf(home).filter((path) => /spillway/.test(path) && !path.startsWith('project/'))).toEqual(
      before.filter((path) => /spillway/.test(path)),
    )
  },
)

const SPILLWAY = `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`

function write(root: string, contents: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

const filesOf = (root: string): string[] =>
  readdirSync(root, { recursive: true }).map((path) => String(path).replaceAll('\\', '/'))
