import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '@spillway/text/internal'
import { subjectOf } from '../../test/preview-with.ts'
import { tablePreviewer } from './table-previewer.ts'

const showLines = (start: number, end: number): string => `lines ${start}-${end}`
const previewer = tablePreviewer()

interface About {
  readonly contentType?: string
  readonly path?: string
  readonly budgetTokens?: number
  readonly showSql?: (sql: string) => string
  readonly words?: readonly string[]
}

async function previewOf(
  text: string,
  { contentType = 'text/plain', path, budgetTokens = 400, showSql, words = [] }: About = {},
): Promise<string | undefined> {
  const subject = subjectOf(text, { intent: { paths: path === undefined ? [] : [path], words }, contentType })
  if (previewer.recognize(subject) === 0) return undefined
  const reader = previewer.read(subject)
  reader.push(text)
  return (await reader.finish(subject))?.({ budgetTokens, countTokens: estimateTokens, showLines, showSql })
}

const numbered = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')
const days = numbered(
  900,
  (index) => `2024-01-${String(10 + (index % 20))},${index / 10},${index % 3 === 0 ? 'rain' : 'sun'}`,
)

describe('a preview of CSV', () => {
  it('names columns after dates in the first line', async () => {
    const head = ['sku', '2026-10-01', '2026-10-02', '2026-10-03'].join(',')
    const text = `${head}\n${numbered(200, (index) => `SKU-${index},${index},${index % 7},${index % 3}`)}`
    expect(await previewOf(text, { path: 'sales.csv' })).toMatch(
      /^\[CSV: 200 rows × 4 columns\]\nsku\n2026-10-01 \[0…199\]\n/,
    )
  })

  it('reads the header below titles of a spreadsheet', async () => {
    const rows = numbered(200, (index) => `north;p${index};${index};${index}`)
    const text = `Sales report;;;\nCreated on 2026-11-12;;;\n;;;\nRegion;Product;Count;Amount\n${rows}\n`
    const preview = await previewOf(text, { path: 'report.csv' })
    expect(preview).toMatch(/^\[CSV with ;: 200 rows × 4 columns\]\nSales report;;;\nCreated on 2026-11-12;;;\n/)
    expect(preview).toMatch(/\nRegion [^\n]*\nProduct\nCount \[0…199\]\nAmount \[0…199\]\n/)
  })

  it('is not written for a stream of events, whose data have commas', async () => {
    const event = (id: number): string =>
      `data: {"id": "c-${id}", "object": "chunk", "index": ${id}, "model": "m", "index2": 1, "finish": null, "reason": null}\n`
    expect(await previewOf(numbered(40, event))).toBeUndefined()
  })

  it('shows rows with rare words of the call first, starting with rows that have the most words', async () => {
    const text = `id,name\n${numbered(2_000, (index) => `${index},name of ${index}`)}\n`
    const sought = ['NAME OF 1234', 'name', '1234', '777']
    const preview = await previewOf(text, { words: sought, budgetTokens: 90 })
    expect(preview).toContain('1236| 1234,name of 1234')
    expect(preview).not.toEqual(await previewOf(text, { budgetTokens: 90 }))
    expect(await previewOf(text, { words: ['name'], budgetTokens: 90 })).toBe(
      await previewOf(text, { budgetTokens: 90 }),
    )
  })

  it('has the size of the table, a summary of its columns, and the first and last rows', async () => {
    const preview = await previewOf(`date,degrees,weather\n${days}\n`)
    expect(preview).toMatch(
      /^\[CSV: 900 rows × 3 columns\]\ndate \[2024-01-10…2024-01-29\]\ndegrees \[0…89.9\]\nweather \[sun ×600, rain ×300\]\n\[… 900 lines, all but these \d+: lines 2-901\]\n2\| 2024-01-10,0,rain\n2024-01-11,0.1,sun\n/,
    )
    expect(preview).toMatch(/\n901\| .*$|2024-01-29,89\.9,sun/m)
  })

  it('suggests one SQL statement that counts the rows, if rows are hidden', async () => {
    const showSql = (sql: string): string => `sql '${sql}'`
    const preview = await previewOf(`date,degrees,weather\n${days}\n`, { showSql })
    expect(preview).toContain(`: lines 2-901; sql 'SELECT "weather", count(*) FROM t GROUP BY 1']\n`)
    expect(await previewOf('id,note\n1,a\n2,b\n', { contentType: 'text/csv', showSql })).not.toContain('sql')
  })

  it('shows the blank lines of a cell', async () => {
    const preview = await previewOf('id,note\n1,"one\n\n\ntwo"\n2,one\n', { contentType: 'text/csv' })
    expect(preview).toContain('\n2| 1,"one\n\n\ntwo"\n6| 2,one')
  })

  it('counts rows and lines separately if cells have several lines', async () => {
    const preview = await previewOf('id,note\n1,"two\nlines"\n2,one\n', { contentType: 'text/csv' })
    expect(preview).toBe('[CSV: 2 rows × 2 columns, 4 lines]\nid [1…2]\nnote\n2| 1,"two\nlines"\n4| 2,one')
  })

  it('recognizes other separators', async () => {
    expect(await previewOf(`a;b;c\n${numbered(9, (index) => `${index};x, y;${index * 2}`)}`)).toMatch(
      /^\[CSV with ;: 9 rows × 3 columns\]/,
    )
    expect(await previewOf(`a\tb\n${numbered(9, (index) => `${index}\tx`)}`)).toMatch(/^\[TSV: 9 rows × 2 columns\]/)
  })

  it('prefers the separator that agrees with the header to the commas of decimal numbers', async () => {
    const rows = numbered(9, (index) => `day ${index};${index},5;${index * 2},25`)
    for (const about of [{ path: 'a.csv' }, { contentType: 'text/csv' }])
      expect(await previewOf(`day;low;high\n${rows}\n`, about)).toMatch(/^\[CSV with ;: 9 rows × 3 columns\]/)
  })

  it('recognizes a header whose first cell has several lines, or that follows a blank line', async () => {
    const rows = numbered(9, (index) => `${index},x,${index * 2}`)
    for (const start of ['"the\nnumber",name,sum', '\nnumber,name,sum'])
      expect(await previewOf(`${start}\n${rows}`)).toMatch(/^\[CSV: 9 rows × 3 columns, 11 lines\]/)
  })

  it('mentions a missing header, and numbers the columns', async () => {
    expect(await previewOf(numbered(9, (index) => `${index},2024-01-0${index},x`))).toMatch(
      /^\[CSV: 9 rows × 3 columns, no header\]\n\[column 1: 0…8\]\n/,
    )
  })

  it('reads years as column names if other values are below them', async () => {
    const rows = numbered(9, (index) => `Land ${index},${index}.5,${index}.7`)
    expect(await previewOf(`country,1990,2000\n${rows}`, { contentType: 'text/csv' })).toMatch(/\n1990 \[0\.5…8\.5\]\n/)
  })

  it('has no header if a cell of the first row is the usual value of its column', async () => {
    const rows = numbered(40, (index) => `node;main;step${index % 7};task${index % 3};go ${index}`)
    expect(await previewOf(rows)).toMatch(
      /^\[CSV with ;: 40 rows × 5 columns, no header\]\n\[column 1: always node\]\n/,
    )
  })

  it('has the header below the title of a report in a file for tables', async () => {
    const rows = numbered(40, (index) => `${index},x,${index * 2}`)
    expect(await previewOf(`Sales, all regions\n\nid,name,sum\n${rows}`, { path: 'a.csv' })).toMatch(
      /^\[CSV: 40 rows × 3 columns, 43 lines\]\nSales, all regions\nid \[/,
    )
  })

  it('shows comments before the header', async () => {
    expect(await previewOf(`# made today\na,b\n${numbered(9, (index) => `${index},1`)}`)).toMatch(
      /^\[CSV: 9 rows × 2 columns\]\n# made today\n/,
    )
  })

  it('has the column names of the last comment if the first row has values', async () => {
    const rows = numbered(40, (index) => `chr1\t${index}\tPASS`)
    expect(await previewOf(`##source=GATK\n#CHROM\tPOS\tFILTER\n${rows}`)).toMatch(
      /^\[TSV: 40 rows × 3 columns\]\n##source=GATK\n#CHROM \[always chr1\]\nPOS \[0…39\]\nFILTER \[always PASS\]\n/,
    )
    expect(await previewOf(`# a, b, c\nname,note,size\n${numbered(40, (index) => `n${index},x,${index}`)}`)).toContain(
      '\n# a, b, c\nname\n',
    )
  })

  it('shows the whole row that has the only text of another form, even if its values are frequent', async () => {
    const rows = numbered(300, (index) => {
      const what = `lost the lease on shard 12 ${'of the cluster in the second data center '.repeat(2)}for good`
      return `${index},${index % 3 === 0 ? 'WARN' : 'INFO'},job ${index} ${index === 151 ? what : 'ok'}`
    })
    const preview = await previewOf(`id,level,msg\n${rows}`, { budgetTokens: 250 })
    expect(preview).toContain('job 151 lost the lease on shard 12')
    expect(preview).toContain('for good')
  })

  it('counts rows with another number of cells', async () => {
    expect(await previewOf('a,b\n1,2\n1\n1,2,3\n1,2\n', { contentType: 'text/csv' })).toContain(
      '2 rows with another number of cells',
    )
  })

  it('shows a row with another number of cells, such as a message of the program', async () => {
    const row = (index: number): string => `${index},item ${index},${index % 37}`
    const message = 'ERROR: connection reset, retrying'
    const text = `id,name,price\n${numbered(1_100, row)}\n${message}\n${numbered(900, row)}\n`
    expect(await previewOf(text)).toContain(`\n1102| ${message}\n`)
  })

  it('names all of a hundred columns, even with little space for rows', async () => {
    const names = Array.from({ length: 100 }, (_, column) => `measure_${column}`)
    const row = names.map((_, column) => column * 1.5).join(',')
    const preview = (await previewOf(`${names.join(',')}\n${`${row}\n`.repeat(50)}`, { budgetTokens: 700 })) ?? ''
    for (const name of names) expect(preview).toContain(name)
  })

  it('counts the columns that it does not name', async () => {
    const names = Array.from({ length: 20_000 }, (_, column) => `c${column}`).join(',')
    const preview = (await previewOf(`${names}\n${names}\n`, { contentType: 'text/csv', budgetTokens: 100 })) ?? ''
    expect(preview).toMatch(/^\[CSV: 1 row × 20,000 columns\]\nc0,c1,.*\[… [\d,]+ more columns\]/)
  })

  it('leaves text to other previewers if an unclosed quote hides rows', async () => {
    expect(await previewOf('a,b\n1,"x\n2,y\n', { contentType: 'text/csv' })).toBeUndefined()
  })

  it('supports survey answers with questions as column names', async () => {
    const question = `"Do you agree?<br>Consider this: ${'a lottery with a chance of 50 %, '.repeat(8)}or not?"`
    const answers = numbered(400, (index) => `${index % 2 === 0 ? 'Yes' : 'No'},"Medium, rare",Some college,,"> 60"`)
    const preview = await previewOf(`${question},Steak?,Education,Income,Age\nResponse,Response,,,\n${answers}`)
    expect(preview).toContain('[CSV: 401 rows × 5 columns]')
    expect(preview).toContain('Do you agree?')
  })

  it('is not made for prose, logs or code', async () => {
    const none = [
      numbered(30, (index) => `2024-01-01 12:00:00,${100 + index} INFO started worker ${index}`),
      numbered(30, (index) => `First, we look at case ${index}, and then we go on.`),
      numbered(30, (index) => `  { "id": ${index}, "name": "x", "at": 1 },`),
      numbered(30, (index) => `[${index}, 1, 2],`),
      numbered(30, (index) => `call(${index}, value, other)`),
      numbered(30, (index) => `build\tstep ${index}\t2021-12-01T13:00:40.1Z Current runner version`),
    ]
    for (const text of none) expect(await previewOf(text), text.slice(0, 40)).toBeUndefined()
  })

  it('counts the same rows as a reference implementation, even with line ends in quotes and rows of different lengths', async () => {
    const cell = fc.constantFrom('x', '', '12', '"a, ""b"""', '"two\nlines"', 'größe')
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 80, max: 4_000 }), async (table, budgetTokens) => {
        const text = `id,name,note\n${table.map((row) => row.join(',')).join('\n')}\n`
        const preview = (await previewOf(text, { contentType: 'text/csv', budgetTokens })) ?? ''
        const stated = Number(/^\[CSV: ([\d,]+) rows?/.exec(preview)?.[1]?.replace(',', ''))
        expect(stated).toBe(table.length)
        expect(Number(/(\d+) rows? with another/.exec(preview)?.[1] ?? 0)).toBe(
          table.filter(({ length }) => length !== 3).length,
        )
      }),
      { numRuns: 100 },
    )
  })

  it('counts the hidden rows exactly', async () => {
    const row = fc.tuple(fc.nat(9_999), fc.constantFrom('a', 'bb', 'a longer cell'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 60, max: 3_000 }),
        async (rows, budgetTokens) => {
          const text = `id,name\n${rows.map((cells) => cells.join(',')).join('\n')}\n`
          const preview = (await previewOf(text, { contentType: 'text/csv', budgetTokens })) ?? ''
          const [, lines = '0', listed = '0'] = /\[… ([\d,]+) lines?(?:, all but these (\d+))?/.exec(preview) ?? []
          const hidden = Number(lines.replace(',', '')) - Number(listed)
          const shown = preview.split('\n').filter((line) => /^(?:\d+\| )?\d+,/.test(line)).length
          if (shown > 0) expect(shown + hidden).toBe(rows.length)
        },
      ),
      { numRuns: 100 },
    )
  })
})

describe('a preview of aligned columns', () => {
  const ps = `  PID TTY          TIME COMMAND\n${numbered(40, (index) => `${String(100 + index).padStart(5)} pts/0    00:00:0${index % 10} worker --shard ${index} of 40`)}`

  it('names the columns, and shows rows without repeated blanks', async () => {
    const preview = await previewOf(ps)
    expect(preview).toMatch(/^\[table: 40 rows × 4 columns, 41 lines\]\nPID \[100…139\]\nTTY \[always pts\/0\]\nTIME/)
    expect(preview).toContain('2| 100 pts/0 00:00:00 worker --shard 0 of 40\n')
  })

  it('recognizes blank cells, even if only the header shows their column', async () => {
    const text = `COMMAND    PID  TID    USER   NAME\n${numbered(30, (index) => `run${String(index).padEnd(8)}${String(index).padStart(3)}${index > 25 ? '   77' : '     '}    root   /proc/${index}`)}`
    expect(await previewOf(text)).toContain('TID [only 77, 26 empty]\n')
  })

  it('distinguishes the tables of one text by their titles', async () => {
    const text = `Active connections\nProto Recv-Q  Address        (state)\n${numbered(9, (index) => `tcp4       0  10.0.0.${index}:443   OPEN`)}\nActive domain sockets\nAddress   Type     Refs\n${numbered(5, (index) => `7fb0${index}     stream      ${index}`)}`
    const preview = await previewOf(text, { budgetTokens: 1_000 })
    expect(preview).toMatch(
      /^\[2 tables: 14 rows, 18 lines\]\nActive connections\nProto Recv-Q Address \(state\) \[9 rows\]\ntcp4 /,
    )
    expect(preview).toContain('\nActive domain sockets\nAddress Type Refs [5 rows]\n7fb00 ')
  })

  it('gives the right line numbers of a title that is followed by a blank line', async () => {
    const tasks = (pid: number): string => numbered(60, (index) => `${pid + index}   root  ${index}.5  worker ${index}`)
    const text = `top - up 2 days\nTasks: 60\n\nPID   USER  CPU  COMMAND\n${tasks(100)}\n\nPID   USER  CPU  COMMAND\n${tasks(900)}`
    const preview = await previewOf(text, { budgetTokens: 300 })
    expect(preview).toMatch(
      /^\[2 tables: 120 rows, 126 lines\]\ntop - up 2 days\nTasks: 60\n(?:4\| )?PID USER CPU COMMAND \[60 rows\]\n/,
    )
  })

  it('is not made if the lines below a header have another form', async () => {
    const header = '   r    b         swpd         free         buff   si   so  us'
    const values = '  17    0            0      5861768       758144    0    0  51'
    const text = `${header}\n${values}\n${values}\n${numbered(90, (index) => `nr_counter_${index} ${index * 7}`)}`
    expect(await previewOf(text)).toBeUndefined()
  })

  it('names two columns whose cells touch, because a long cell moves the cells after it', async () => {
    const row = (index: number): string =>
      `root ${String(index).padStart(5)} ${String(index % 5 === 0 ? 9_952_100 : 512).padStart(6)} ${String(index * 3).padStart(5)} ?    worker --shard ${index}`
    const text = `USER   PID    VSZ   RSS TTY  COMMAND\n${numbered(40, row)}`
    expect(await previewOf(text)).toMatch(/\nVSZ \[.*\]\nRSS \[0…117\]\nTTY \[always \?\]\nCOMMAND/)
  })

  it('describes the columns with short descriptions, if all descriptions are too long', async () => {
    const state = (index: number): string => `a state with a long name that begins with ${index % 2}`
    const row = (index: number): string =>
      `${String(index).padStart(5)}  ${state(index).padEnd(60)}  ${String(index * 2).padStart(5)}`
    const text = `  UID  ${'STATE'.padEnd(60)}   SIZE\n${numbered(40, row)}`
    expect(await previewOf(text, { budgetTokens: 120 })).toMatch(/\nUID \[0…39\]\nSTATE\nSIZE \[0…78\]\n/)
  })

  const reports = (between: string): string =>
    ['name', 'total']
      .map(
        (name) =>
          `Times by ${name}${between}CALLS  TIME  FUNCTION\n${numbered(60, (index) => `${String(index).padStart(5)}  ${index % 9}.25  read_${name}_${String(index * 37).padEnd(4)}(buffer)`)}`,
      )
      .join('\n\n')

  it('reads a line of words above the header of a further table as a title', async () => {
    expect(await previewOf(reports('\n'))).toMatch(/^\[2 tables: 120 rows, 125 lines\]\n/)
    expect(await previewOf(reports('\n'))).toContain('\n64| Times by total\nCALLS TIME FUNCTION [60 rows]\n')
    expect(await previewOf(reports('\n\n'))).toContain('\n65| Times by total\n')
  })

  it('shows a row with a value that no other row has, but not each of many different values', async () => {
    const text = `FILE         LINES  MEASURE  STATE\n${numbered(170, (index) => `part-${String(index).padEnd(8)}${index === 120 ? '   12' : '  100'}  ${String((index * 37) % 1_000).padEnd(7)}  ok`)}`
    expect(await previewOf(text, { budgetTokens: 160 })).toContain('\n122| part-120 12 440 ok\n')
  })

  it('shows the keys of the hidden rows, if there is space', async () => {
    const text = `total 8\n${numbered(200, (index) => `-rw-r--r-- 1 root root ${String(index * 7).padStart(6)} 2024-01-0${1 + (index % 9)} 10:0${index % 10} report${index}.txt`)}`
    const preview = await previewOf(text, { budgetTokens: 1_200 })
    expect(preview).toMatch(/^\[table: 200 rows × 7 columns, 201 lines, no header\]\ntotal 8\n/)
    expect(preview).toMatch(/\n\[name of \d+ of them:\] report\d+\.txt, report/)
  })

  it('takes no sizes for the keys of rows', async () => {
    const row = (index: number): string =>
      `${(0xabc0000 + index * 7919).toString(16)}   ${index}.${index % 10}MB   local`
    const text = `IMAGE ID  SIZE     DRIVER\n${numbered(100, (index) => row(index + 100))}`
    expect(await previewOf(text)).not.toContain('[SIZE of')
  })
})

describe("a preview of a database client's output", () => {
  const rows = (line: (index: number) => string): string => numbered(9, line)

  it('reads the result of psql', async () => {
    const text = ` id | name  \n----+-------\n${rows((index) => `  ${index} | row ${index}`)}\n(9 rows)\n`
    expect(await previewOf(text)).toMatch(
      /^\[table: 9 rows × 2 columns, 12 lines\]\nid \[0…8\]\nname\n\(9 rows\)\n3\| 0\|row 0\n[\s\S]*\n8\|row 8$/,
    )
  })

  it('counts the rows of each of several results, and gives their line numbers', async () => {
    const one = ` id | state \n----+-------\n${numbered(30, (index) => ` ${String(index).padStart(2)} | open`)}\n(30 rows)\n\n`
    const other = `   List of orders\n order | what  | price \n-------+-------+-------\n${numbered(400, (index) => `   ${500 + index} | thing | ${index} `)}\nIndexes:\n    "orders_pkey" PRIMARY KEY, btree (id)\n\n`
    const preview = await previewOf(one + other, { budgetTokens: 300 })
    expect(preview).toMatch(/^\[2 tables: 430 rows, 440 lines\]\nid\|state \[30 rows\]\n(?:3\| )?0\|open\n/)
    expect(preview).toContain('\n35| List of orders\norder|what|price [400 rows]\n')
    expect(preview).toContain('\n38| 500|thing|0\n')
    const framed = (rows: number): string =>
      `+----+\n| id |\n+----+\n${numbered(rows, (index) => `| ${String(index).padEnd(2)} |`)}\n+----+\n${rows} rows in set (0.00 sec)\n\n`
    expect(await previewOf(framed(9) + framed(40))).toMatch(/^\[2 tables: 49 rows, 61 lines\]\n/)
  })

  it('reads the boxes of mysql and sqlite', async () => {
    const text = `+----+--------+\n| id | name   |\n+----+--------+\n${rows((index) => `|  ${index} | row ${index}  |`)}\n+----+--------+\n9 rows in set (0.00 sec)\n`
    expect(await previewOf(text)).toMatch(/^\[table: 9 rows × 2 columns, 14 lines\]\nid \[0…8\]\n/)
    const box = `┌────┬───────┐\n│ id │ name  │\n├────┼───────┤\n${rows((index) => `│ ${index}  │ row ${index} │`)}\n└────┴───────┘\n`
    expect(await previewOf(box)).toMatch(/^\[table: 9 rows × 2 columns, 13 lines\]\n/)
  })

  it('leaves tables whose cells have several lines to other previewers', async () => {
    const psql = ` id | note  \n----+-------\n${rows((index) => `  ${index} | one  +\n    | two`)}\n(9 rows)\n`
    expect(await previewOf(psql)).toBeUndefined()
  })

  it('shows the text after a Markdown table as a note, and not as a row', async () => {
    const rows = numbered(30, (index) => `| ${index} | item ${index} |`)
    expect(await previewOf(`| id | name |\n|---|---|\n${rows}\n\n**Total: 1234**\n`)).toMatch(
      /^\[table: 30 rows × 2 columns, 34 lines\]\nid \[0…29\]\nname\n\*\*Total: 1234\*\*\n/,
    )
  })

  it('reads a Markdown table', async () => {
    expect(await previewOf(`| id | name |\n| -- | :--: |\n${rows((index) => `| ${index} | a \\| b |`)}`)).toMatch(
      /^\[table: 9 rows × 2 columns, 11 lines\]\nid \[0…8\]\nname \[always a \\\| b\]/,
    )
  })
})

describe('a preview of records', () => {
  it.each([
    ['commits', (index: number) => `${(0x9fcabc0 + index * 7919).toString(16)} fix the parser, part ${index}`],
    ['history', (index: number) => `  ${String(index + 101)}  npm run step-${index}`],
    ['changed files', (index: number) => `${index % 2 === 0 ? ' M' : '??'} src/file${index}.ts`],
    ['sizes', (index: number) => `${index * 4}\t./folder/file${index}`],
    ['counts', (index: number) => `${String((index * 37) % 50).padStart(7)} src/file${index}.ts`],
    ['values', (index: number) => `net.ipv4.option${index} = ${index}`],
    ['values', (index: number) => `OPTION_${index}=${index}`],
  ])('recognizes %s', async (kind, line) => {
    expect(await previewOf(numbered(30, line))).toMatch(new RegExp(`^\\[${kind}: 30 lines`))
  })

  it('distinguishes staged changes from other changes in the output of git', async () => {
    const text = numbered(30, (index) => `${index % 3 === 0 ? ' M' : index === 4 ? 'UU' : 'M '} src/file${index}.ts`)
    const preview = await previewOf(text)
    expect(preview).toContain('[staged: M ×19, U ×1, 10 empty]')
    expect(preview).toContain('\n M src/file0.ts\nM  src/file1.ts\n')
  })

  it('counts no comments as values', async () => {
    const text = numbered(60, (index) => (index % 20 === 0 ? `# part ${index}` : `NAME_${index}=value`))
    expect(await previewOf(text)).toMatch(/^\[values: 57 rows, 60 lines\]/)
  })

  it('shows the rows with the largest sizes', async () => {
    const text = numbered(300, (index) => `${index === 123 ? '77G' : '4.0K'}\t/data/file${index}`)
    expect(await previewOf(text, { budgetTokens: 200 })).toContain('\n124| 77G /data/file123\n')
  })

  it('shows different values before repeated values', async () => {
    const text = numbered(300, (index) => `${String(index + 1).padStart(5)}  ${index === 137 ? 'rm -r build' : 'ls'}`)
    expect(await previewOf(text, { budgetTokens: 150 })).toContain('rm -r build')
  })

  it('has totals below the rows as a note, and not as a row', async () => {
    const row = (name: string, size: number, count: number): string =>
      `${name.padEnd(12)}${String(size).padStart(8)}${String(count).padStart(8)}`
    const header = 'NAME            SIZE   COUNT'
    const rows = numbered(60, (index) => row(`item${index}`, index + 1, index % 5))
    for (const end of [row('Total', 1_830, 120), `---------- ---------- ------\n${row('', 1_830, 120)}`]) {
      const preview = await previewOf(`${header}\n${rows}\n${end}\n`)
      expect(preview).toMatch(/^\[table: 60 rows × 3 columns, /)
      expect(preview).toContain('SIZE [1…60]')
      expect(preview).toMatch(/\n(?:Total +)?1830 +120\n/)
    }
    // Rows after a rule are rows.
    const groups = `${header}\n${rows}\n${'-'.repeat(28)}\n${rows.replaceAll('item', 'part')}\n`
    expect(await previewOf(groups)).toMatch(/^\[table: 120 rows/)
  })

  it('does not take parameters in the names of benchmarks for values', async () => {
    const text = numbered(40, (index) => `BenchmarkSort${index}/ints/n=64-8  \t  4487\t  7109.${index} ns/op`)
    expect(await previewOf(text)).toBeUndefined()
  })

  it('does not take names of objects for subjects of commits', async () => {
    const hash = (index: number): string => (0xabcdef0123 + index * 0x1f3d5).toString(16).padStart(40, 'e')
    const objects = numbered(40, (index) => `${hash(index)} src/file${index}.ts`)
    expect(await previewOf(objects)).toBeUndefined()
    const commits = numbered(40, (index) => `${hash(index)} ${index === 3 ? 'wip' : `Tests cover case ${index}`}`)
    expect(await previewOf(commits)).toMatch(/^\[commits: 40 lines\]/)
  })

  it('is not made for logs or code', async () => {
    const none = [
      numbered(30, (index) => `INFO: step ${index} done`),
      numbered(30, (index) => `${index + 1}  const a = ${index}`).replaceAll(/^/gm, '\t'),
      numbered(30, (index) => `error: cannot find module ${index}`),
      numbered(30, (index) => `10:2${index % 10}:11 worker ${index} ready`),
      numbered(30, (index) => `${index}. A step of the recipe.`),
      // Numbers of lines with gaps, for example of a search, are no counts.
      numbered(30, (index) => `${String(index * 7 + 1).padStart(5)} const a = ${index}`),
    ]
    for (const text of none) expect(await previewOf(text), text.slice(0, 40)).toBeUndefined()
  })
})
