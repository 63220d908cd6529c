import type { BlastEffect, BlastRadius } from '../../protocol/blast-radius.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { CallPreview, HandedSecret } from '../../protocol/tool.ts';
import { EFFECT_VERBS, lostOf } from '../blast/effect-words.ts';
import { formatByteSize } from '../byte-size.ts';
import { joinReasons } from '../gate/join-reasons.ts';
import { formatCallTaint } from '../taint/format-taint.ts';

/** What a person was told of a call when they were asked about it, or what a rule went by: one fact each. */
export function describePreview(preview: CallPreview): readonly string[] {
  const { judged, why, undoable, problem, again, taint, secrets = [], sandboxed, path, linked, foreign } = preview;
  return [
    ...(judged === undefined
      ? []
      : [[judged.class, joinReasons(judged.reasons)].filter((part) => part !== '').join(': ')]),
    ...(judged === undefined || judged.floors.length === 0
      ? []
      : [`refused whatever the rules say: ${judged.floors.join(', ')}`]),
    ...(path !== undefined && (linked || foreign)
      ? [`it leads to ${path}${foreign ? ', outside of the work tree' : ''}`]
      : []),
    ...(undoable ? [] : [`it cannot be undone${why === undefined ? '' : `: ${why}`}`]),
    ...(problem === undefined ? [] : [`it would fail: ${problem}`]),
    ...(taint === undefined ? [] : [formatCallTaint(taint)]),
    ...secrets.map(describeSecret),
    ...(sandboxed === true ? ['in the sandbox'] : []),
    ...(again === undefined ? [] : [`asked once more: ${again}`]),
  ];
}

function describeSecret({ name, to, rule, exported }: HandedSecret): string {
  const how = exported === true ? 'in the environment of ' : '';
  return `${name} is handed to ${how}${to}${rule === undefined ? '' : ` by the rule "${rule}"`}`;
}

/** What was decided about a call, by whom, and why. */
export function describeDecision(event: Extract<SessionEvent, { type: 'approval.decided' }>): string {
  const { decision, by, rule, reason, commands, command } = event;
  if (decision === 'edit') return `changed by the person to: ${command ?? ''}`;
  const who = by === 'person' ? 'the person' : by === 'headless' ? 'default, as nobody was there to ask' : 'a rule';
  const done = decision === 'allow' ? 'allowed' : 'denied';
  const whose =
    rule === undefined
      ? `${done} by ${who}`
      : `${done} by ${by === 'person' ? 'the person, always for' : 'the rule'} "${rule}"`;
  const always = commands === undefined ? '' : `, always for ${commands.map((prefix) => `"${prefix} …"`).join(', ')}`;
  return `${whose}${always}${reason === undefined || reason === '' ? '' : `: ${reason}`}`;
}

/** What a call would have touched, as it was counted while it was asked about. */
export function describeBlast({ effects, hosts, unknown, notes }: BlastRadius): readonly string[] {
  const told = [
    ...effects.map(describeEffect),
    ...(hosts.length === 0 ? [] : [`would reach ${hosts.join(', ')}`]),
    ...unknown.map((one) => `nobody can tell: ${one}`),
    ...notes,
  ];
  return told.length === 0 ? ['would touch nothing'] : told;
}

function describeEffect(effect: BlastEffect): string {
  const { kind, files, folders, bytes, untracked, modified, outside, atLeast, bytesAtLeast, maybe } = effect;
  const counted =
    [count(files, 'file'), count(folders, 'folder')].filter((part) => part !== '').join(' and ') || 'nothing';
  const facts = [
    ...(bytes === 0 ? [] : [`${bytesAtLeast === true ? 'at least ' : ''}${formatByteSize(bytes)}`]),
    ...lostOf(effect).map(({ count: lost, why, noUndo }) => `${lost} ${why}: ${noUndo}`),
    ...(untracked === null || untracked === 0 ? [] : [`${untracked} untracked`]),
    ...(modified === null || modified === 0 ? [] : [`${modified} changed since the last commit`]),
    ...(outside === 0 ? [] : [`${outside} outside of the project`]),
  ];
  const least = atLeast === true ? 'at least ' : '';
  const about = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `${maybe === true ? 'might' : 'would'} ${EFFECT_VERBS[kind]} ${least}${counted}${about}`;
}

function count(number: number, noun: string): string {
  return number === 0 ? '' : `${number} ${number === 1 ? noun : `${noun}s`}`;
}
