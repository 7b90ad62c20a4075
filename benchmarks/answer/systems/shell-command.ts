import { escapeRegex, type Intent } from './system.ts'

/** Return the shell command that an agent would run on a file; `undefined` if no command fits the intent. */
export function shellCommand(intent: Intent, file: string): string | undefined {
  const jq = (filter: string): string => `jq -c ${quote(filter)} ${file}`

  switch (intent.want) {
    case 'grep': {
      const flags = `-nE${intent.ignoreCase ? 'i' : ''}${intent.context > 0 ? ` -C ${intent.context}` : ''}`
      const end = intent.fromEnd === true ? ' | tail -n 120' : ''
      return `grep ${flags} -e ${quote(intent.literals.map(escapeRegex).join('|'))} ${file}${end}`
    }
    case 'count':
      return `grep -cF -e ${quote(intent.literal)} ${file}`
    case 'lines':
      return `sed -n '${intent.first},${intent.last}p' ${file}`
    case 'tail':
      return `tail -n ${intent.count} ${file}`
    case 'total':
      return `wc -l ${file}`
    case 'sibling':
      return jq(
        `.. | objects | select(.[${JSON.stringify(intent.keyName)}]? == ${JSON.stringify(intent.key)}) | .[${JSON.stringify(intent.field)}]`,
      )
    case 'path':
      return jq(`.${intent.path.map((key) => `[${JSON.stringify(key)}]`).join('')}`)
    case 'rows':
      return `head -n 1 ${file}; grep -nF -e ${quote(intent.key)} ${file}`
    case 'count-rows':
      return `awk -F '[,\\t]' -v name=${quote(intent.column)} -v value=${quote(intent.value)} 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i } NR > 1 && $c == value { n++ } END { print n + 0 }' ${file}`
    case 'all':
      return `cat ${file}`
    default:
      return undefined
  }
}

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`
