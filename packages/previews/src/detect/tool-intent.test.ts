import { isFull } from '@spillway-internal/test-run'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toolIntent } from './tool-intent.ts'

describe('the intent of a tool call', () => {
  it.each([
    ['Read', { file_path: '/src/a.ts', offset: 120, limit: 40 }, ['/src/a.ts'], { start: 120, end: 159 }],
    ['Read', { file_path: '/src/a.ts' }, ['/src/a.ts'], undefined],
    ['read_file', { path: 'a.py', start_line: 3, end_line: 9 }, ['a.py'], { start: 3, end: 9 }],
    [
      'read_file',
      { target_file: 'a.py', start_line_one_indexed: 3, end_line_one_indexed_inclusive: 9 },
      ['a.py'],
      { start: 3, end: 9 },
    ],
    ['view', { path: 'a.go', view_range: [10, 20] }, ['a.go'], { start: 10, end: 20 }],
    ['view', { path: 'a.go', view_range: [10, -1] }, ['a.go'], { start: 10 }],
    ['open', { path: 'src/a.go:12' }, ['src/a.go'], { start: 12, end: 12 }],
    ['open', { path: 'src/a.go:12-30' }, ['src/a.go'], { start: 12, end: 30 }],
    ['open', { uri: 'x', path: 'src/a.go#L5-L8' }, ['src/a.go'], { start: 5, end: 8 }],
    ['retrieve', { line_range: { start: 4, end: 8 } }, [], { start: 4, end: 8 }],
    ['open', { file: 'a.c', line: 7 }, ['a.c'], { start: 7, end: 7 }],
    ['open', { file: 'a.c', lines: '7-9' }, ['a.c'], { start: 7, end: 9 }],
    ['read_many', { files: [{ path: 'a.c' }, { path: 'b.c' }] }, ['a.c', 'b.c'], undefined],
    ['call', { arguments: '{"path":"a.c"}' }, ['a.c'], undefined],
    ['call', '{"path":"C:\\\\src\\\\a.cs"}', ['C:\\src\\a.cs'], undefined],
  ])('has the files and lines of the call %s %j', (name, input, paths, lines) => {
    const intent = toolIntent(name, input)
    expect(intent.paths).toEqual(paths)
    expect(intent.lines).toEqual(lines)
  })

  it.each([
    ['cat src/a.py', ['src/a.py'], undefined],
    ['cd /repo && cat src/a.py', ['src/a.py'], undefined],
    ["sed -n '10,40p' src/a.py", ['src/a.py'], { start: 10, end: 40 }],
    ['nl -ba a.py | sed -n 5,9p', ['a.py'], { start: 5, end: 9 }],
    ['head -n 50 a.py', ['a.py'], undefined],
    ['git show HEAD~1:src/a.ts', ['src/a.ts'], undefined],
    ['python3 run.py --input data.json', [], undefined],
    ["cat <<'EOF' > a.md\nimport os\nEOF", ['a.md'], undefined],
  ])('has the lines that the command %j prints', (command, paths, lines) => {
    for (const input of [{ command }, { cmd: ['bash', '-lc', command] }]) {
      const intent = toolIntent('bash', input)
      expect(intent.paths).toEqual(paths)
      expect(intent.lines).toEqual(lines)
      expect(intent.command).toBe(command)
    }
  })

  it.each([
    [{ pattern: 'parseConfig', path: 'src' }, ['parseConfig']],
    [{ pattern: String.raw`func \(s \*Store\) Open\b|closeAll` }, ['func', 'Store', 'Open', 'closeAll']],
    [{ pattern: 'log.*Error', glob: '*.ts' }, ['log', 'Error']],
    [{ query: 'where are sessions saved' }, ['where are sessions saved', 'where', 'sessions', 'saved']],
    [{ query: 'session_state' }, ['session_state']],
    [{ command: "grep -rn --include='*.py' 'class Foo' src" }, ['class Foo']],
    [
      { prompt: 'Fix `load cache`, see Store.open and MAX_SIZE, in a long text of many more plain words than few' },
      ['load cache', 'Store.open', 'MAX_SIZE'],
    ],
  ])('has the words that %j searches for', (input, words) => {
    expect(toolIntent('tool', input).words).toEqual(expect.arrayContaining(words))
  })

  it('has the paths in a prompt, but no URLs', () => {
    const prompt = 'Look at src/store.ts:12 and ./docs/plan.md. See https://example.com/a.html for more.'
    expect(toolIntent('Task', { prompt }).paths).toEqual(['src/store.ts', './docs/plan.md'])
  })

  it('has the URL of a fetch', () => {
    expect(toolIntent('fetch', { url: 'https://example.com' }).url).toBe('https://example.com')
  })

  it('includes a shell whose input is the command itself', () => {
    expect(toolIntent('bash', 'cat a.c')).toMatchObject({ command: 'cat a.c', paths: ['a.c'] })
    expect(toolIntent('echo', 'cat a.c').command).toBeUndefined()
  })

  it('calls no accessor, and ignores cycles and oversized input', () => {
    const input: Record<string, unknown> = { path: 'a.c' }
    Object.defineProperty(input, 'query', { enumerable: true, get: () => expect.fail('called') })
    input['args'] = input
    expect(toolIntent('tool', input)).toMatchObject({ paths: ['a.c'], words: [] })
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key${index}`, 'x']))
    expect(toolIntent('tool', many).paths).toEqual([])
    expect(toolIntent('tool', { path: Array(100_000).fill('a') }).paths).toEqual(['a'])
    expect(toolIntent('tool', { pattern: '('.repeat(1_000_000) }).words).toEqual([])
  })

  it.each(['toString', 'constructor x', '__proto__'])('has no paths and no words for the command %j', (command) => {
    expect(toolIntent('bash', { command })).toMatchObject({ paths: [], words: [], command })
  })

  it('is the same for the same input, and never throws', () => {
    const command = fc.stringMatching(/^[a-z "'\\|;&<>()$,-]{0,60}$/)
    const input = fc.oneof(
      fc.anything(),
      fc.dictionary(
        fc.constantFrom('path', 'command', 'query', 'pattern', 'offset', 'limit', 'view_range', 'args'),
        fc.anything(),
      ),
      fc.record({ command: fc.oneof(command, fc.string()), pattern: fc.string() }),
    )
    fc.assert(
      fc.property(fc.string(), input, (name, value) => {
        const intent = toolIntent(name, value)
        expect(toolIntent(name, value)).toEqual(intent)
        const { lines } = intent
        if (lines !== undefined) expect(lines.start >= 1 && (lines.end ?? Infinity) >= lines.start).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  it.each(['"', "'", '\\', '/', '`', '.', 'a.', '[', '{1,', '/a', 'NR>=1 ', 'a/b.c:1 '])(
    'takes bounded time for a long argument of %j',
    (part) => {
      const text = part.repeat(isFull ? 1_000_000 : 200_000)
      for (const name of ['path', 'command', 'pattern', 'query', 'prompt'])
        expect(toolIntent('tool', { [name]: text }).paths.join('').length).toBeLessThan(text.length)
    },
  )
})
