import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BIN, put, spillway, temporaryFolder } from '../../test/spillway.ts'

describe('completion', () => {
  const complete = async (words: readonly string[], cwd: string): Promise<readonly string[]> =>
    (await spillway(['completion', 'complete', ...words], { cwd })).stdout.trimEnd().split('\n')

  it.each([
    [['g'], ['get', 'grep', 'gc']],
    [
      ['mcp', ''],
      ['proxy', 'serve'],
    ],
    [
      ['run', '--m'],
      ['--max-tokens', '--max-bytes'],
    ],
    [
      ['stats', '--by', ''],
      ['tool', 'day'],
    ],
    [['completion', 'f'], ['fish']],
    [['run', ''], ['']],
  ])('completes %j', async (words, expected) => {
    expect(await complete(words, temporaryFolder())).toEqual(expected)
  })

  it('completes references of the store, and names of stores nearby', async () => {
    const cwd = temporaryFolder()
    const reference = await put('text', cwd, ['--name', 'log'])
    const other = await put('text', cwd, ['--name', 'log', '--store', 'file:./other'])
    expect(await complete(['get', 'l'], cwd)).toEqual(['last', reference])
    expect(await complete(['get', '--store', 'file:./other', 'log'], cwd)).toEqual([other])
    expect(await complete(['ls', '--store', 'file:'], cwd)).toContain(`file:${cwd}/.spillway`)
  })

  it.each(['bash', 'zsh', 'fish'])('prints a script that %s can run', async (shell) => {
    const { code, stdout } = await spillway(['completion', shell])
    expect(code).toBe(0)
    const checked = spawnSync(shell, ['-n'], { input: stdout, encoding: 'utf8' })
    if (checked.error === undefined) expect(checked).toMatchObject({ status: 0, stderr: '' })
  })

  it('completes the part after the last colon of a store in bash', async () => {
    const cwd = temporaryFolder()
    await put('text', cwd)
    const { stdout: script } = await spillway(['completion', 'bash'])
    writeFileSync(join(cwd, 'spillway'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
    chmodSync(join(cwd, 'spillway'), 0o700)
    const typed = 'spillway ls --store file:'
    const program = `${script}\nCOMP_LINE='${typed}' COMP_POINT=${typed.length}\n_spillway\nprintf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { ...process.env, PATH: `${cwd}:${process.env['PATH']}` }
    const { stdout } = spawnSync('bash', ['-c', program], { cwd, env, encoding: 'utf8' })
    expect(stdout.split('\n')).toContain(`${cwd}/.spillway`)
  })

  it('refuses another shell', async () => {
    expect(await spillway(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('bash, zsh'),
    })
  })
})

describe('doctor', () => {
  it('reports versions, the store, optional packages, and hosts, without secrets', async () => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, '.gemini'))
    writeFileSync(join(cwd, '.gemini/settings.json'), '{ "mcpServers": { "a": { "command": "spillway" } } }')
    await put('text', cwd)
    const { code, stdout } = await spillway(['doctor'], { cwd, env: { HOME: cwd } })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok +Node\.js +\d+\.\d+\.\d+ on /m)
    expect(stdout).toMatch(/^ok +store +file:.*\/\.spillway \(default\)$/m)
    expect(stdout).toMatch(/^ok +store use +a write, read, and delete took \d+ ms, and listing 1 entry took \d+ ms$/m)
    expect(stdout).toMatch(/^ok +@spillway\/redis, ioredis +installed$/m)
    expect(stdout).toMatch(/^ok +@spillway\/postgres, pg +installed$/m)
    expect(stdout).toMatch(
      /^ok +Gemini CLI +configured in \.gemini\/settings\.json, .*; no spillway is on the path, so only npx can start it$/m,
    )
    writeFileSync(join(cwd, 'spillway'), '', { mode: 0o755 })
    const onPath = await spillway(['doctor'], { cwd, env: { HOME: cwd, PATH: cwd } })
    expect(onPath.stdout).toMatch(/^ok +Gemini CLI +configured in \.gemini\/settings\.json, [^;]*$/m)
    expect(stdout).toMatch(/^ok +Codex +not configured here$/m)
  })

  it.each([
    ['Claude Code', '.mcp.json'],
    ['Codex', '.codex/config.toml'],
    ['OpenCode', 'opencode.json'],
    ['Cursor', '.cursor/mcp.json'],
    ['VS Code', '.vscode/mcp.json'],
  ])('finds %s in %s', async (host, path) => {
    const cwd = temporaryFolder()
    mkdirSync(join(cwd, dirname(path)), { recursive: true })
    writeFileSync(join(cwd, path), 'command = "spillway"')
    const { stdout } = await spillway(['doctor'], { cwd, env: { HOME: temporaryFolder() } })
    expect(stdout).toContain(`${host} `)
    expect(stdout.split('\n').filter((line) => line.includes('configured in'))).toEqual([
      expect.stringContaining(`configured in ${path}`),
    ])
  })

  it('exits with 3 if the store cannot be used, and hides its password', async () => {
    const env = { SPILLWAY_STORE: 'redis://:hunter2@127.0.0.1:1' }
    const { code, stdout } = await spillway(['doctor', '--json'], { cwd: temporaryFolder(), env })
    expect(code).toBe(3)
    expect(stdout).not.toContain('hunter2')
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly isOk: boolean }[] }
    expect(findings.filter(({ isOk }) => !isOk)).toMatchObject([{ name: 'store use' }])
  })
})
