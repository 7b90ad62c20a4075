import type { Command } from 'commander'
import type { Invocation } from '../commands/command.ts'
import { usageError } from '../cli-error.ts'
import { findStore, nearbyStores } from '../store/find-store.ts'
import { print, printLine } from '../output.ts'
import { listEntries } from '../store/resolve-reference.ts'
import { openStore } from '../store/with-store.ts'

/** Completion scripts. Each script runs `spillway completion complete WORDS…`, which completes the last word. */
const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_spillway() {
  local words word line="\${COMP_LINE:0:COMP_POINT}"
  read -ra words <<< "$line"
  [[ "$line" == *' ' ]] && words+=('')
  # Bash replaces only the text after the last colon.
  local current="\${words[-1]}" before=''
  [[ "$current" == *:* ]] && before="\${current%:*}:"
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("\${word#"$before"}"); done \\
    < <(spillway completion complete "\${words[@]:1}" 2> /dev/null)
}
complete -o default -F _spillway spillway
`,
  zsh: `#compdef spillway
_spillway() {
  local -a found
  found=("\${(@f)$(spillway completion complete "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  compadd -- \${found:#} || _files
}
compdef _spillway spillway
`,
  fish: `complete -c spillway -a '(spillway completion complete (commandline -opc)[2..] (commandline -ct) 2> /dev/null)'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName spillway -ScriptBlock {
  param($word, $ast, $position)
  $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '""' }
  spillway completion complete @words 2> $null | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
}

export async function completion({ args: [shell = '', ...words], command }: Invocation<object>): Promise<void> {
  if (shell === 'complete') {
    for (const word of await complete(words, command.parent!)) await printLine(word)
    return
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined
  if (script === undefined) throw usageError(`There are scripts for ${Object.keys(SCRIPTS).join(', ')}.`)
  await print(script)
}

async function complete(words: readonly string[], program: Command): Promise<readonly string[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  let command = program
  for (const word of before) command = command.commands.find((each) => each.name() === word) ?? command
  const candidates = await candidatesOf(command, before, current)
  return candidates.filter((each) => each.startsWith(current))
}

async function candidatesOf(command: Command, before: readonly string[], current: string): Promise<readonly string[]> {
  const option = command.options.find((each) => [each.long, each.short].includes(before.at(-1)))
  if (option?.required === true)
    return option.long === '--store' ? [...nearbyStores(), findStore()] : (option.argChoices ?? [])
  if (current.startsWith('-')) return command.options.flatMap(({ long }) => long ?? [])
  if (command.commands.length > 0) return command.commands.map((each) => each.name())
  if (command.name() === 'completion') return Object.keys(SCRIPTS)
  const [argument] = command.registeredArguments
  return argument?.name().startsWith('reference') === true ? ['last', ...(await referencesIn(before))] : []
}

async function referencesIn(before: readonly string[]): Promise<readonly string[]> {
  const storage = await openStore(before[before.indexOf('--store') + 1 || Infinity] ?? findStore())
  return (await listEntries(storage)).map(({ reference }) => reference)
}
