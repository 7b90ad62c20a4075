import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { JsonRows, type JsonRowsForm } from './json-rows.ts'

interface Read {
  readonly names: readonly string[]
  readonly rows: readonly (readonly (string | undefined)[])[]
  readonly notes: readonly string[] | undefined
}

function read(form: JsonRowsForm, pieces: readonly string[], before?: string): Read {
  let names: readonly string[] = []
  const rows: (string | undefined)[][] = []
  const reader = new JsonRows(
    form,
    {
      begin: (begun) => {
        names = begun
      },
      row: (row) => rows.push(names.map((_, column) => row.cell(column))),
    },
    before,
  )
  for (const piece of pieces) reader.push(piece)
  return { notes: reader.finish(), names, rows }
}

it('JSON rows are the objects of an array', () => {
  expect(
    read('array', ['[\n  {"a": 1, "b": "x\\n]"},\n  {\n    "b": null,\n    "c": {"d": [1]}\n  }\n]\n{"a": 9}']),
  ).toEqual({
    names: ['a', 'b', 'c'],
    rows: [
      ['1', 'x\n]'],
      [undefined, undefined, '{"d":[1]}'],
    ],
    notes: [],
  })
})

it('JSON rows are the objects on lines, without lines that are invalid, incomplete or not objects', () => {
  const { rows, notes } = read('lines', ['{"a":1}\n{"a":2\n{"a":"3\n{"a" 4}\n[5]\n\n{"a":6} \r\n{"a":'])
  expect(rows).toEqual([['1'], ['6']])
  expect(notes).toEqual([
    'Values that are not objects were left out: 1.',
    'Objects that are broken, cut off or too large were left out: 4.',
  ])
})

it('JSON rows may be objects with many lines, one after another', () => {
  const { rows } = read('documents', ['{\n "a": 1\n}\n{\n "a": 2\n}\n'])
  expect(rows).toEqual([['1'], ['2']])
})

it('JSON rows leave out other lines before, between and after the objects', () => {
  const before = 'up\n\n[INFO] {x}\n'
  const pieces = [before.slice(0, 4), before.slice(4), '{"a":1}\nFAIL {"a":9} [x]\n[INFO] y\n"so"', '\n{"a":2}\nend']
  const { rows, notes } = read('lines', pieces, before)
  expect(rows).toEqual([['1'], ['2']])
  expect(notes).toEqual(['Lines that are not JSON were left out: 6.'])
})

it('JSON rows may be arrays, whose columns have the names of the first row or c1, c2 and so on', () => {
  const rows = [
    ['1', 'x'],
    ['2', undefined, '[3]'],
  ]
  expect(read('array', ['[["id","name"],[1,"x"],{"id":5},[2,null,[3]]]'])).toEqual({
    names: ['id', 'name', 'c3'],
    rows,
    notes: ['Values that are not arrays were left out: 1.'],
  })
  expect(read('lines', ['[1,"x"]\n[2,null,', '[3]]\n'])).toEqual({ names: ['c1', 'c2', 'c3'], rows, notes: [] })
  expect(read('lines', ['["a","b"]\n["c","d"]\n[1,2]']).rows).toEqual([
    ['a', 'b'],
    ['c', 'd'],
    ['1', '2'],
  ])
  expect(read('documents', ['["a"]']).rows).toEqual([['a']])
})

it('JSON rows without keys are not a table', () => {
  expect(read('array', ['[{},{}]']).notes).toBeUndefined()
})

it('JSON rows report that an array does not end', () => {
  expect(read('array', ['[{"a":1},{"a":']).notes).toEqual([
    'Objects that are broken, cut off or too large were left out: 1.',
    'The array does not end: the content was cut off.',
  ])
})

it('JSON rows leave out objects that are too large or too deep', () => {
  const deep = `{"a":${'['.repeat(10_000)}${']'.repeat(10_000)}}`
  const large = `{"a":"${'x'.repeat(1_100_000)}"}`
  const { rows, notes } = read('array', [`[${deep},`, large, ',{"a":1}]'])
  expect(rows).toEqual([['1']])
  expect(notes).toEqual(['Objects that are broken, cut off or too large were left out: 2.'])
})

it('JSON rows may have columns that are named like properties of Object.prototype', () => {
  const { names, rows } = read('lines', ['{"__proto__":1,"constructor":2}\n{"toString":3}'])
  expect(names).toEqual(['__proto__', 'constructor', 'toString'])
  expect(rows).toEqual([
    ['1', '2'],
    [undefined, undefined, '3'],
  ])
})

test('JSON rows do not depend on the chunks or the layout of the text', () => {
  const objects = fc.array(fc.dictionary(fc.constantFrom('a', 'b', '{', ']', ': ,'), fc.jsonValue({ maxDepth: 2 })), {
    minLength: 1,
    maxLength: 6,
  })
  fc.assert(
    fc.property(objects, fc.constantFrom(0, 2), fc.array(fc.nat(200), { maxLength: 6 }), (values, indent, cuts) => {
      const written = JSON.parse(JSON.stringify(values)) as Record<string, unknown>[]
      const array = JSON.stringify(written, undefined, indent)
      const places = [0, ...cuts.map((cut) => cut % (array.length + 1)).toSorted((one, two) => one - two), array.length]
      const pieces = places.slice(1).map((end, index) => array.slice(places[index], end))
      const whole = read('array', [array])
      expect(read('array', pieces)).toEqual(whole)
      expect(whole.rows).toEqual(read('lines', [written.map((value) => JSON.stringify(value)).join('\n')]).rows)
      expect(whole.rows).toHaveLength(written.length)
    }),
  )
})

it('JSON rows are counted apart from other values of the array, at its start and with arrays in them too', () => {
  const { rows, notes } = read('array', ['[5,{"a":1},[[6],[]],"x",{"a":2}]'])
  expect(rows).toEqual([['1'], ['2']])
  expect(notes).toEqual(['Values that are not objects were left out: 3.'])
})
