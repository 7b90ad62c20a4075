import { readFileSync } from 'node:fs'
import { count, table } from '../report/table.ts'
import { outputOf, SEARCH_COMMANDS, searchCommand, timeCommand } from './commands.ts'
import { makeContent } from './contents.ts'
import { PLANTED, RARE } from './patterns.ts'
import type { RunOptions } from './run-options.ts'
import { besideLowest, type Comparison } from '../report/comparison.ts'
import type { Section } from '../report/section.ts'
import type { SubjectName } from './subjects/open-subject.ts'
import { searchInProcess, type SearchCalls } from './tasks.ts'
import { median, milliseconds } from '../report/write-figures.ts'

const OURS: readonly SubjectName[] = ['Spillway, file', 'Spillway, memory']
const SUBJECTS: readonly SubjectName[] = [...OURS, 'Strands, file', 'Strands, memory']

/** A planted hit: the text before it, and its place. */
export interface PlantedHit {
  readonly neighbour: string
  readonly path: string
}

interface OneLineFigures {
  readonly who: string
  readonly ms: number | undefined
  readonly chars: number
  readonly shown: number
  readonly surrounded: number
  readonly located: number
}

/** Measure hits in JSON on one line, and check that they are shown with their surroundings and their path. */
export async function measureOneLine(options: RunOptions): Promise<Section> {
  const size = options.isQuick ? 1 : 10
  const content = await makeContent('json1', size, options)
  const hits = plantedHits(content.file)
  const rows: OneLineFigures[] = []
  for (const name of SEARCH_COMMANDS.filter((one) => options.has(one))) {
    const command = searchCommand(name, RARE, content.file)
    const times = Array.from({ length: options.rounds }, () => timeCommand(command))
    rows.push({ who: name, ms: median(times), ...countShown(outputOf(command), hits) })
  }
  for (const subject of SUBJECTS.filter((one) => options.has(one))) {
    const target = await content.target(subject)
    const samples: SearchCalls[] = []
    for (let round = 0; round < options.rounds; round++) {
      samples.push(await searchInProcess(target, RARE))
    }
    rows.push({
      who: subject,
      ms: median(samples.map(({ first }) => first)),
      ...countShown(samples[0]?.text ?? '', hits),
    })
  }
  content.forget()
  const of = (value: number): string => `${value} of ${hits.length}`
  const cells = rows.map(({ who, ms, chars, shown, surrounded, located }) => [
    who,
    ...[shown, surrounded, located].map(of),
    count(chars),
    milliseconds(ms),
  ])
  const heads = ['', 'hits shown', 'with their neighbours', 'with their JSON path', 'characters', 'first call, ms']
  const ours = rows.filter(({ who }) => OURS.includes(who as SubjectName))
  const least = Math.min(...ours.map(({ shown, surrounded, located }) => Math.min(shown, surrounded, located)))
  return {
    text: `JSON of ${size} MB on one line, a literal in three of its values:\n\n${table(heads, cells)}`,
    bounds: [
      { name: 'hits in JSON on one line that are not shown in full', most: 0, value: hits.length - least, where: '' },
    ],
    comparisons: compareOneLine(rows, size, hits.length),
    figures: rows,
  }
}

/** Compare the first call from a file with the fastest implementation that shows every hit. */
function compareOneLine(rows: readonly OneLineFigures[], size: number, hits: number): Comparison[] {
  const ours = rows.find(({ who }) => who === OURS[0])?.ms
  if (ours === undefined) return []
  const others = rows.filter(({ who, shown }) => shown === hits && !OURS.includes(who as SubjectName))
  const floor = besideLowest(
    ours,
    others.map(({ who, ms }) => ({ name: who, value: ms })),
  )
  return [{ what: `JSON on one line, ${size} MB: ${hits} hits with their paths`, unit: 'ms', ours, floor }]
}

/** Find the planted hits in JSON on one line. */
export function plantedHits(file: string): readonly PlantedHit[] {
  const { items } = JSON.parse(readFileSync(file, 'utf8')) as {
    items: readonly { readonly id: number; readonly note?: string }[]
  }
  return items.flatMap(({ id, note }, index) =>
    note === undefined ? [] : [{ neighbour: `"id":${id},"name":"user${id}"`, path: `items[${index}].note` }],
  )
}

/** Count the hits that an answer shows: all, those with their surroundings, and those with their path. */
export function countShown(text: string, hits: readonly PlantedHit[]): Omit<OneLineFigures, 'who' | 'ms'> {
  const plain = text.replaceAll(/\[(['"])(\w+)\1\]/g, '.$2')
  return {
    chars: text.length,
    shown: Math.min(hits.length, text.split(`${PLANTED}: order`).length - 1),
    surrounded: hits.filter(({ neighbour }) => text.includes(neighbour)).length,
    located: hits.filter(({ path }) => plain.includes(path)).length,
  }
}
