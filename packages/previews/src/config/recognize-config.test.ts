import { describe, expect, it } from 'vitest'
import { subjectOf } from '../../test/preview-with.ts'
import { configKind } from './recognize-config.ts'

const kind = (text: string, path?: string, contentType = 'text/plain'): ReturnType<typeof configKind> =>
  configKind(subjectOf(text, { contentType, intent: { paths: path === undefined ? [] : [path], words: [] } }))

const WORKFLOW =
  'name: ci\non:\n  push:\n    branches: [main]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: |\n          npm ci\n          npm test\n'
const CARGO =
  '[package]\nname = "a"\nversion = "0.1.0"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\nlog = "0.4"\n'
const TERRAFORM =
  'resource "aws_instance" "web" {\n  ami = "a"\n  tags = {\n    Name = "b"\n  }\n}\n\nvariable "region" {\n  default = "x"\n}\n\nmodule "net" {\n  source = "./net"\n}\n\noutput "ip" {\n  value = "y"\n}\n\ndata "a" "b" {\n  c = 1\n}\n'

describe('configKind', () => {
  it('tells how a text nests, by its content alone', () => {
    expect(kind(WORKFLOW)).toMatchObject({ dialect: 'indented', sureness: 0.75 })
    expect(kind(CARGO)).toMatchObject({ dialect: 'sections', sureness: 0.8 })
    expect(kind(TERRAFORM)).toMatchObject({ dialect: 'braces', sureness: 0.8 })
    expect(kind(`apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  x:\n    - b\n`).sureness).toBeGreaterThan(
      0.8,
    )
  })

  it('is surer where the path or the type says so', () => {
    expect(kind(WORKFLOW, '.github/workflows/ci.yml').sureness).toBe(0.92)
    expect(kind(WORKFLOW, undefined, 'application/yaml').sureness).toBe(0.95)
    expect(kind('A=1\nB=2\nC=3\n', '.env.local')).toEqual({ sureness: 0.92, dialect: 'sections' })
  })

  it.each([
    ['flat keys', 'a: 1\nb: 2\nc: 3\n'.repeat(20)],
    ['the headers of an answer', 'HTTP/1.1 200 OK\nContent-Type: text/html\nDate: now\nServer: x\n'],
    ['a log that looks like YAML', 'INFO: start\nsteps:\n  - one: 1\nINFO: done\nDEBUG: x:\n  - y\n'.repeat(20)],
    ['a log with sections', '[INFO]\n[main] a = 1\n[INFO] Building a\n[INFO] b = 2\n'.repeat(20)],
    ['Python', 'class A:\n    def f(self):\n        return 1\n    def g(self):\n        pass\n'.repeat(20)],
    ['prose', 'Note: this is a text.\nIt has some lines, and a colon: here.\nAnd it ends.\n'.repeat(10)],
    ['JSON', '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['a log in a file of YAML', '2024-05-17T10:21:03 a: b\n'.repeat(30)],
  ])('leaves %s', (_, text) => {
    expect(kind(text).sureness).toBe(0)
  })

  it('does not believe a name that the content contradicts', () => {
    expect(kind('int main() {\n  return 0;\n}\nvoid f() {\n}\n'.repeat(20), 'a.yaml').sureness).toBe(0)
  })
})
