import type { CommandSpec } from './command.ts'
import { STORE_AND_JSON_OPTIONS } from './options.ts'

export const completionCommand: CommandSpec = {
  name: 'completion',
  summary: 'print the completion script for a shell',
  description: 'Print a script that lets a shell complete commands, options, references, and stores.',
  argument: ['<shell>', 'bash, zsh, fish, or powershell'],
  secondArgument: ['[words...]', 'words to complete, for the scripts'],
  passesOptions: true,
  help: `
Examples:
  $ spillway completion bash >> ~/.bashrc
  $ spillway completion zsh > "\${fpath[1]}/_spillway"
  $ spillway completion fish > ~/.config/fish/completions/spillway.fish
  $ spillway completion powershell >> $PROFILE`,
  load: async () => (await import('../setup/completion.ts')).completion,
}

export const doctorCommand: CommandSpec = {
  name: 'doctor',
  summary: 'check the installation, the store, and the hosts',
  description:
    'Check Node.js, the store and its speed, optional packages, and the configuration of hosts. The output has no ' +
    'secrets and can be part of a bug report. Exits with 3 if something is wrong.',
  options: STORE_AND_JSON_OPTIONS,
  load: async () => (await import('../setup/doctor.ts')).doctor,
}
