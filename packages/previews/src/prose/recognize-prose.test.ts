import { describe, expect, it } from 'vitest'
import { subjectOf } from '../../test/preview-with.ts'
import { recognizeProse } from './recognize-prose.ts'

const sureness = (text: string, path?: string): number =>
  recognizeProse(subjectOf(text, { intent: { paths: path === undefined ? [] : [path], words: [] } }))

describe('recognizeProse', () => {
  it.each([
    [
      'wrapped lines',
      'It was a bright cold day in April, and the clocks\nwere striking. He slipped quickly through the doors,\nthough not quickly enough to keep the dust from\nentering along with him.\n\n'.repeat(
        5,
      ),
    ],
    ['long lines', 'It was a bright cold day in April. The clocks were striking. He slipped in.\n\n'.repeat(20)],
    ['one line', 'It was a bright cold day. The clocks were striking. '.repeat(200)],
    ['Chinese', '那是四月里一个晴朗而寒冷的日子。钟正敲着十三下。他很快地走进了大门。\n'.repeat(20)],
    [
      'Russian',
      'Был холодный ясный апрельский день, и часы пробили\nтринадцать. Он быстро вошёл в дверь, но всё же\nвпустил за собой вихрь пыли. Было тихо.\n\n'.repeat(
        10,
      ),
    ],
    ['Arabic', 'كان يوما باردا ومشرقا من أيام أبريل. وكانت الساعات تدق. ودخل بسرعة.\n'.repeat(10)],
  ])('takes %s', (_, text) => {
    expect(sureness(text)).toBe(0.6)
  })

  it.each([
    ['a log', '2024-05-17 10:21:03 INFO The server has started. It is ready.\n'.repeat(40)],
    [
      'a log without times',
      'Installing the package foo. Done.\nCompiling 12 files. Done.\n[main] It works. It does.\n'.repeat(40),
    ],
    ['progress', 'Compiling alpha\nCompiling beta\nLinking gamma\n'.repeat(60)],
    ['a list of words', 'alpha\nbeta\ngamma\n'.repeat(60)],
    ['code', 'int main(void) { return f(x) + 1; }\nstatic int y = 2;\n'.repeat(40)],
    ['JSON', '{"a": "It was a day. It was cold."}\n'.repeat(40)],
    ['paths', './a/b/c.ts\n./d/e/f.ts\n'.repeat(60)],
    ['a short text', 'Too short. To tell.'],
  ])('leaves %s', (_, text) => {
    expect(sureness(text)).toBe(0)
  })

  it('takes chapters of one long line each', () => {
    expect(sureness('CHAPTER 1\n\nIt was a dark night. The rain fell on the roofs.\n\n'.repeat(20))).toBe(0.6)
  })

  it('believes the names of marked-up prose', () => {
    const text =
      'Title\n=====\n\n.. code-block:: sh\n\n   make\n\nThe words of it go on for a while, as they do.\n'.repeat(10)
    expect(sureness(text, 'docs/a.rst')).toBe(0.8)
  })
})
