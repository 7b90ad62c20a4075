import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  BIN,
  jsonLines,
  referenceIn,
  spillway,
  spillwayProcess,
  temporaryFolder,
  type Ended,
} from '../../test/spillway.ts'

const HOOK = ['hook', 'claude-code']
const LOG = Array.from({ length: 5_000 }, (_, line) => `line ${line} ${line === 4_321 ? 'FAILED' : 'ok'}`).join('\n')

interface Answer {
  readonly hookSpecificOutput?: {
    readonly hookEventName: string
    readonly updatedToolOutput: { readonly stdout: string }
  }
  readonly systemMessage?: string
}

const inputOf = (cwd: string, stdout: string, more: object = {}): string =>
  JSON.stringify({
    session_id: 'session-1',
    transcript_path: join(cwd, 'session-1.jsonl'),
    cwd,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 'toolu_1',
    tool_input: { command: 'cat app.log' },
    tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
    ...more,
  })

const answerOf = ({ stdout }: Ended): Answer => JSON.parse(stdout) as Answer

describe('the hook', () => {
  it('replaces large output by a preview, whose command works in a shell', async () => {
    const cwd = temporaryFolder()
    const ended = await spillwayProcess(HOOK, { cwd, input: inputOf(cwd, LOG) })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    const { hookEventName, updatedToolOutput } = answerOf(ended).hookSpecificOutput ?? {}
    expect(hookEventName).toBe('PostToolUse')
    expect(updatedToolOutput).toMatchObject({ stderr: '', interrupted: false })
    const text = updatedToolOutput?.stdout ?? ''
    const [, command = ''] = /^ {2}(spillway get .*?) --pattern REGEX/m.exec(text) ?? []
    expect(command).toContain(referenceIn(text))
    expect(text).not.toContain('retrieve_offloaded_content')
    const script = `spillway() { "${process.execPath}" "${BIN}" "$@"; }; ${command} --pattern FAILED --context 0`
    const { stdout } = spawnSync('sh', ['-c', script], { cwd: temporaryFolder(), encoding: 'utf8' })
    expect(stdout).toContain('> 4322| line 4321 FAILED')
  })

  it('prints nothing for small output, its own retrievals, and excluded tools', async () => {
    const cwd = temporaryFolder()
    const quiet = { code: 0, stdout: '', stderr: '' }
    expect(await spillway(HOOK, { cwd, input: inputOf(cwd, 'hello') })).toMatchObject(quiet)
    expect(await spillway(HOOK, { cwd, input: inputOf(cwd, 'ok\n'.repeat(1_000)) })).toMatchObject(quiet)
    expect(await spillway([...HOOK, '--except', 'Bash'], { cwd, input: inputOf(cwd, LOG) })).toMatchObject(quiet)
    const own = { tool_name: 'mcp__spillway__retrieve_offloaded_content', tool_response: LOG }
    expect(await spillway(HOOK, { cwd, input: inputOf(cwd, LOG, own) })).toMatchObject(quiet)
    expect(await spillway(HOOK, { cwd, input: inputOf(cwd, LOG, { tool_name: 'Edit' }) })).toMatchObject(quiet)
  })

  it("isolates sessions in the project's folder, even if the agent is in a folder below", async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, 'deep'))
    const env = { CLAUDE_PROJECT_DIR: cwd }
    for (const session of ['a/b', '../up'])
      await spillway(HOOK, {
        cwd: join(cwd, 'deep'),
        env,
        input: inputOf(join(cwd, 'deep'), LOG, { session_id: session }),
      })
    const list = await spillway(['ls', '--below'], { cwd })
    expect(list.stdout.trim().split('\n')).toHaveLength(2)
    const one = await spillway(['ls', '--scope', 'a%2Fb'], { cwd })
    expect(one.stdout.trim().split('\n')).toHaveLength(1)
    expect(await spillway(['ls', '--scope', 'a/b'], { cwd })).toMatchObject({ stdout: '' })
  })

  it("tells the model to use the tool of the MCP server, and uses the server's scope", async () => {
    const cwd = temporaryFolder()
    const args = [...HOOK, '--reading', 'mcp', '--scope', 'team/app']
    const text = answerOf(await spillway(args, { cwd, input: inputOf(cwd, LOG) })).hookSpecificOutput?.updatedToolOutput
    expect(text?.stdout).toContain('use retrieve_offloaded_content with a reference')
    expect(text?.stdout).not.toContain('spillway get')
    const { stdout } = await spillway(['ls', '--scope', 'team/app'], { cwd })
    expect(stdout).toContain(referenceIn(text?.stdout ?? ''))
    const refused = await spillway([...HOOK, '--reading', 'mcp'], { cwd, input: inputOf(cwd, LOG) })
    expect(refused.code).toBe(0)
    expect(answerOf(refused).systemMessage).toMatch(/needs the --scope/)
  })

  it('keeps output that cannot be stored, says why, and exits with 0', async () => {
    const cwd = temporaryFolder()
    writeFileSync(join(cwd, '.spillway'), 'a file where a folder should be')
    const ended = await spillway(HOOK, { cwd, input: inputOf(cwd, LOG) })
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/^spillway: The output of a tool was not offloaded: /)
    expect(answerOf(ended)).toEqual({ systemMessage: ended.stderr.trim() })
  })

  it('does not write into a store of another user', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, '.spillway'))
    const user = vi.spyOn(process, 'getuid').mockReturnValue(statSync(cwd).uid + 1)
    onTestFinished(() => user.mockRestore())
    const ended = await spillway(HOOK, { cwd, input: inputOf(cwd, LOG) })
    expect(answerOf(ended).systemMessage).toMatch(/not offloaded: .* belongs to another user/)
    expect(readdirSync(join(cwd, '.spillway'))).toEqual([])
  })

  it.each([
    ['no JSON', `{"a": ${LOG}`],
    ['another event', JSON.stringify({ ...JSON.parse(inputOf('/', LOG)), hook_event_name: 'PreToolUse' })],
    ['no session', inputOf('/', LOG, { session_id: '' })],
    ['null', `null${' '.repeat(5_000)}`],
  ])('exits with 0 for invalid input: %s', async (_what, input) => {
    const ended = await spillway(HOOK, { cwd: temporaryFolder(), input })
    expect(ended.code).toBe(0)
    expect(answerOf(ended).systemMessage).toMatch(/not offloaded: .*Standard input is/)
  })

  it('says how to install it if a person starts it on a terminal', async () => {
    const { stdout } = await spillway(HOOK, { cwd: temporaryFolder(), terminal: true })
    expect(stdout).toContain('spillway: Claude Code starts this hook. Add it with: spillway hook claude-code install.')
  })

  it('exits with 1 for a wrong option, because the model would see the message of an exit code of 2', async () => {
    const cwd = temporaryFolder()
    const ended = await spillwayProcess([...HOOK, '--bogus'], { cwd, input: inputOf(cwd, LOG) })
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/unknown option '--bogus'/)
    const misspelled = await spillwayProcess([...HOOK, 'instal'], { cwd, input: '' })
    expect(misspelled).toMatchObject({ code: 1, stderr: expect.stringContaining('Commands: install, uninstall, ') })
    const wrong = await spillway([...HOOK, '--max-tokens', 'many'], { cwd, input: '' })
    expect(wrong.code).toBe(1)
  })

  it('never shows the model the password of the store', async () => {
    const cwd = temporaryFolder()
    const env = { SPILLWAY_STORE: 'redis://user:hunter2@127.0.0.1:1/0' }
    const ended = await spillway(HOOK, { cwd, env, input: inputOf(cwd, LOG) })
    expect(ended.code).toBe(0)
    expect(ended.stdout + ended.stderr).not.toContain('hunter2')
  })
})

const settingsIn = (cwd: string, name = 'settings.local.json'): string => join(cwd, '.claude', name)
const ORIGINAL = '{\n    "model": "opus",\n    "permissions": { "allow": ["Bash(ls:*)"] },\n    "env": {}\n}\n'

function project(text: string | undefined = ORIGINAL): string {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.claude'))
  if (text !== undefined) writeFileSync(settingsIn(cwd), text, { mode: 0o640 })
  chmodSync(settingsIn(cwd), 0o640)
  return cwd
}

const install = (cwd: string, ...args: readonly string[]): Promise<Ended> =>
  spillway([...HOOK, 'install', ...args], { cwd })
const undo = (cwd: string, ...args: readonly string[]): Promise<Ended> => spillway([...HOOK, 'undo', ...args], { cwd })

describe('the installer', () => {
  it('shows the change, keeps other settings and a copy, and undoes the change byte for byte', async () => {
    const cwd = project()
    const ended = await install(cwd, '--allow', '--except', 'Read')
    expect(ended.code).toBe(0)
    expect(ended.stdout).toMatch(/^\+.*"command": "spillway hook claude-code --except Read"/m)
    const settings = JSON.parse(readFileSync(settingsIn(cwd), 'utf8')) as Record<string, unknown>
    expect(settings).toMatchObject({
      model: 'opus',
      permissions: { allow: ['Bash(ls:*)', 'Bash(spillway get:*)', 'Bash(spillway grep:*)'] },
      env: { MAX_MCP_OUTPUT_TOKENS: '100000000' },
      hooks: { PostToolUse: [{ matcher: expect.stringMatching(/^Bash\|(?!.*\bRead\b)/) }] },
    })
    for (const name of ['settings.local.json', 'settings.local.json.spillway-backup'])
      expect(statSync(settingsIn(cwd, name)).mode & 0o777).toBe(0o640)
    expect(readFileSync(settingsIn(cwd, 'settings.local.json.spillway-backup'), 'utf8')).toBe(ORIGINAL)
    expect(await undo(cwd)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^-.*hook claude-code/m) })
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(ORIGINAL)
    expect(readdirSync(join(cwd, '.claude'))).toEqual(['settings.local.json'])
  })

  it('changes nothing if it runs again, and changes only the options if they differ', async () => {
    const cwd = project()
    await install(cwd)
    const once = readFileSync(settingsIn(cwd), 'utf8')
    const again = await install(cwd)
    expect(again).toMatchObject({ code: 0, stdout: '' })
    expect(again.stderr).toContain('is installed already')
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(once)
    await install(cwd, '--max-tokens', '5000')
    const changed = readFileSync(settingsIn(cwd), 'utf8')
    expect(changed.match(/hook claude-code/g)).toHaveLength(1)
    expect(changed).toContain('hook claude-code --max-tokens 5000')
    await undo(cwd)
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(ORIGINAL)
  })

  it('removes only its own entry if other settings have changed since', async () => {
    const cwd = project()
    await install(cwd)
    const settings = JSON.parse(readFileSync(settingsIn(cwd), 'utf8')) as { hooks: { PostToolUse: object[] } }
    settings.hooks.PostToolUse.unshift({ matcher: 'Edit', hooks: [{ type: 'command', command: 'prettier' }] })
    writeFileSync(settingsIn(cwd), JSON.stringify(settings))
    expect(await undo(cwd)).toMatchObject({ code: 0 })
    expect(JSON.parse(readFileSync(settingsIn(cwd), 'utf8'))).toEqual({
      model: 'opus',
      permissions: { allow: ['Bash(ls:*)'] },
      env: {},
      hooks: { PostToolUse: [{ matcher: 'Edit', hooks: [{ type: 'command', command: 'prettier' }] }] },
    })
  })

  it('creates a missing file, and removes it again', async () => {
    const cwd = temporaryFolder()
    expect(await undo(cwd)).toMatchObject({ code: 0, stderr: expect.stringContaining('is not installed') })
    expect(readdirSync(cwd)).toEqual([])
    await install(cwd, '--project')
    expect(readFileSync(settingsIn(cwd, 'settings.json'), 'utf8')).toContain('hook claude-code')
    await undo(cwd, '--project')
    expect(readdirSync(join(cwd, '.claude'))).toEqual([])
  })

  it('--dry-run prints the change and writes nothing', async () => {
    const cwd = project()
    const { code, stdout } = await install(cwd, '--dry-run')
    expect({ code, isDiff: stdout.startsWith('--- ') }).toEqual({ code: 0, isDiff: true })
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(ORIGINAL)
    expect(readdirSync(join(cwd, '.claude'))).toHaveLength(1)
  })

  it("finds the user's settings, and lists the settings that have the hook", async () => {
    const cwd = project()
    const env = { CLAUDE_CONFIG_DIR: join(cwd, 'config') }
    expect(await spillway([...HOOK, 'status'], { cwd, env })).toMatchObject({ code: 1 })
    expect(await spillway([...HOOK, 'install', '--user'], { cwd, env })).toMatchObject({ code: 0 })
    const { code, stdout } = await spillway([...HOOK, 'status', '--json'], { cwd, env })
    expect(code).toBe(0)
    expect(jsonLines(stdout)).toMatchObject([
      { settings: join(cwd, 'config/settings.json'), commands: ['spillway hook claude-code'] },
      { commands: [] },
      { commands: [] },
    ])
  })

  it('writes through a symbolic link, and refuses a broken link', async () => {
    const cwd = project()
    const real = temporaryFolder()
    writeFileSync(join(real, 'dotfile.json'), ORIGINAL)
    symlinkSync(join(real, 'dotfile.json'), settingsIn(cwd, 'settings.json'))
    await install(cwd, '--project')
    expect(lstatSync(settingsIn(cwd, 'settings.json')).isSymbolicLink()).toBe(true)
    expect(readFileSync(join(real, 'dotfile.json'), 'utf8')).toContain('hook claude-code')
    symlinkSync(join(real, 'gone.json'), settingsIn(cwd, 'gone.json'))
    const refused = await install(cwd, '--settings', settingsIn(cwd, 'gone.json'))
    expect(refused).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('is a link to a file that does not exist'),
    })
  })

  it.each([
    ['comments', '{\n  // mine\n  "model": "opus"\n}', /Comments/],
    ['half a file', '{"model": ', /is not JSON/],
    ['no object', '"opus"', /is not a JSON object/],
    ['another shape', '{"hooks": {"PostToolUse": "all"}}', /at hooks\.PostToolUse/],
    ['nothing', ' \n', /is empty/],
    ['bytes', Buffer.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
  ])('refuses settings with %s, and does not change them', async (_what, text, message) => {
    const cwd = project()
    writeFileSync(settingsIn(cwd), text)
    const ended = await install(cwd)
    expect(ended).toMatchObject({ code: 3, stdout: '' })
    expect(ended.stderr).toMatch(message)
    expect(readFileSync(settingsIn(cwd))).toEqual(Buffer.from(text))
    expect(readdirSync(join(cwd, '.claude'))).toEqual(['settings.local.json'])
  })

  it('refuses two places, a password, and a missing scope', async () => {
    const cwd = project()
    for (const args of [
      ['--user', '--local'],
      ['--store', 'redis://u:p@h'],
      ['--mcp', '--store', 'redis://h'],
      ['--reading', 'mcp'],
    ])
      expect(await install(cwd, ...args)).toMatchObject({ code: 2, stdout: '' })
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(ORIGINAL)
  })

  it('keeps the settings intact if several processes install at once', async () => {
    const cwd = project()
    const ended = await Promise.all([1, 2, 3].map(() => spillwayProcess([...HOOK, 'install'], { cwd })))
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(readFileSync(settingsIn(cwd), 'utf8').match(/hook claude-code/g)).toHaveLength(1)
    await undo(cwd)
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(ORIGINAL)
    expect(readdirSync(join(cwd, '.claude'))).toEqual(['settings.local.json'])
  })

  it('adds the MCP server with the same store and scope, and keeps other servers', async () => {
    const cwd = project()
    const servers = '{\n  "mcpServers": {\n    "other": { "command": "other" }\n  }\n}\n'
    writeFileSync(join(cwd, '.mcp.json'), servers)
    await install(cwd, '--mcp', '--allow', '--scope', 'team/app')
    expect(readFileSync(settingsIn(cwd), 'utf8')).toContain('hook claude-code --scope team/app --reading mcp')
    expect(readFileSync(settingsIn(cwd), 'utf8')).toContain('mcp__spillway__retrieve_offloaded_content')
    expect(JSON.parse(readFileSync(join(cwd, '.mcp.json'), 'utf8'))).toEqual({
      mcpServers: {
        other: { command: 'other' },
        spillway: {
          command: 'spillway',
          args: ['mcp', 'serve', '--store', 'file:./.spillway', '--scope', 'team/app'],
        },
      },
    })
    await undo(cwd)
    expect(readFileSync(join(cwd, '.mcp.json'), 'utf8')).toBe(servers)
    expect(readFileSync(settingsIn(cwd), 'utf8')).toBe(ORIGINAL)
  })
})

const EVENTS = {
  codex: { hook_event_name: 'PostToolUse', tool_use_id: 'call_1' },
  'gemini-cli': { hook_event_name: 'AfterTool' },
  opencode: { hook_event_name: 'tool.execute.after', tool_use_id: 'call_1' },
} as const
type HostName = keyof typeof EVENTS

const PARTS = [{ type: 'text', text: LOG }]
const IMAGE = { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' }

/** The results of a shell command and of an MCP tool, as each host tells its hook. */
const RESULTS: Readonly<Record<HostName, readonly unknown[]>> = {
  codex: [LOG, { content: PARTS }, { content: [], structuredContent: { log: LOG } }],
  'gemini-cli': [{ llmContent: `Output: ${LOG}`, returnDisplay: LOG }, { llmContent: [{ text: LOG }] }],
  opencode: [{ title: 'cat', output: LOG, metadata: { truncated: false } }, { content: PARTS }],
}

async function textFor(host: HostName, response: unknown, cwd = temporaryFolder()): Promise<string | undefined> {
  const call = { session_id: 'session-1', cwd, tool_name: 'shell', tool_input: { command: 'cat app.log' } }
  const input = JSON.stringify({ ...call, ...EVENTS[host], tool_response: response })
  const ended = await spillway(['hook', host], { cwd, input, env: { XDG_DATA_HOME: join(cwd, 'data') } })
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  if (ended.stdout === '') return undefined
  const { decision = '', reason, text = reason } = JSON.parse(ended.stdout) as Readonly<Record<string, string>>
  expect(decision).toBe({ codex: 'block', 'gemini-cli': 'deny', opencode: '' }[host])
  return text
}

describe.each(['codex', 'gemini-cli', 'opencode'] as const)('the hook of %s', (host) => {
  it.each(RESULTS[host].map((response, index) => [index, response] as const))(
    'answers result %i with a preview, whose reference is stored',
    async (_index, response) => {
      const cwd = temporaryFolder()
      const text = (await textFor(host, response, cwd)) ?? ''
      expect(text).toMatch(/^\[Offloaded: 1 block/)
      const args = ['get', referenceIn(text), '--scope', 'session-1', '--pattern', 'FAILED']
      expect((await spillway(args, { cwd })).stdout).toContain('line 4321 FAILED')
    },
  )

  it('keeps a result with an image, because it can answer only with text', async () => {
    const content = [...PARTS, IMAGE]
    const gemini = [{ text: LOG }, { inlineData: { data: IMAGE.data, mimeType: IMAGE.mimeType } }]
    expect(await textFor(host, host === 'gemini-cli' ? { llmContent: gemini } : { content })).toBeUndefined()
  })
})

it('the hook stores the whole output that OpenCode has shortened, but no other files', async () => {
  const cwd = temporaryFolder()
  const saved = join(cwd, 'data/opencode/tool-output/tool_1')
  mkdirSync(join(cwd, 'data/opencode/tool-output'), { recursive: true })
  for (const path of [saved, join(cwd, 'secret')]) writeFileSync(path, `${LOG}\nthe end`)
  const shortened = (outputPath: string): object => ({
    output: LOG.slice(-20_000),
    metadata: { truncated: true, outputPath },
  })
  const scope = ['--scope', 'session-1']
  const whole = referenceIn((await textFor('opencode', shortened(saved), cwd)) ?? '')
  expect((await spillway(['get', whole, '--raw', ...scope], { cwd })).stdout).toBe(`${LOG}\nthe end`)
  const part = referenceIn((await textFor('opencode', shortened(join(cwd, 'secret')), cwd)) ?? '')
  expect((await spillway(['get', part, '--raw', ...scope], { cwd })).stdout).toBe(LOG.slice(-20_000))
})

const PROJECT_FILES = {
  codex: '.codex/hooks.json',
  'gemini-cli': '.gemini/settings.json',
  opencode: '.opencode/plugins/spillway.js',
} as const

describe.each(['codex', 'gemini-cli', 'opencode'] as const)('the installer of %s', (host) => {
  const file = PROJECT_FILES[host]

  it('writes one hook with its options, finds it, and removes it', async () => {
    const cwd = temporaryFolder()
    for (const limit of ['4000', '5000'])
      expect(await spillway(['hook', host, 'install', '--max-tokens', limit], { cwd })).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, file), 'utf8').match(/spillway hook [\w-]+ --.*?\d+/g)).toEqual([
      `spillway hook ${host} --max-tokens 5000`,
    ])
    const { stdout } = await spillway(['hook', host, 'status', '--project', '--json'], { cwd })
    expect(jsonLines(stdout)).toMatchObject([{ commands: [`spillway hook ${host} --max-tokens 5000`] }])
    expect(await spillway(['hook', host, 'undo'], { cwd })).toMatchObject({
      code: 0,
      stderr: 'spillway: The hook is uninstalled. Sessions that are already running may still use it.\n',
    })
    expect(readdirSync(join(cwd, file, '..'))).toEqual([])
  })

  it('installs the MCP server for the host, or prints how to do it', async () => {
    const cwd = temporaryFolder()
    const { stdout, stderr } = await spillway(['hook', host, 'install', '--mcp'], { cwd })
    const args = ['mcp', 'serve', '--store', 'file:./.spillway', '--scope', host]
    if (host === 'codex') expect(stderr).toContain(`codex mcp add spillway -- spillway ${args.join(' ')}`)
    else {
      expect(stdout).toMatch(/^\+.*"serve"/m)
      const path = join(cwd, host === 'opencode' ? '.opencode/opencode.json' : file)
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject(
        host === 'opencode'
          ? { mcp: { spillway: { type: 'local', command: ['spillway', ...args] } } }
          : { mcpServers: { spillway: { command: 'spillway', args } }, hooks: { AfterTool: [{}] } },
      )
    }
    await spillway(['hook', host, 'undo'], { cwd })
    expect(readdirSync(cwd, { recursive: true }).filter((path) => /\.js/.test(String(path)))).toEqual([])
  })
})

it('the installer keeps an OpenCode plugin that another program has written', async () => {
  const cwd = temporaryFolder()
  mkdirSync(join(cwd, '.opencode/plugins'), { recursive: true })
  writeFileSync(join(cwd, PROJECT_FILES.opencode), 'export const Mine = 1\n')
  expect(await spillway(['hook', 'opencode', 'install'], { cwd })).toMatchObject({ code: 3, stdout: '' })
  expect(await spillway(['hook', 'opencode', 'undo'], { cwd })).toMatchObject({ code: 0, stdout: '' })
  expect(readFileSync(join(cwd, PROJECT_FILES.opencode), 'utf8')).toBe('export const Mine = 1\n')
})
