import { until } from '@trpc-once/local-services';
import { BrowserProfile } from '../../page/browser-profile.js';
import type { Random } from '../../soak/draw.js';
import type { Sabotage } from '../sabotage.js';
import type { Recorder } from '../stage/recorder.js';
import type { Story } from '../story/story.js';
import { inTime } from './in-time.js';
import { Tab } from './tab.js';

/** How long a tab may take to open, on a busy machine: its page is waited for 10 s at most. */
const OPEN_MS = 60_000;

/** How long a tab may take to say anything at all. */
const ANSWER_MS = 3_000;

/** How long a tab may take to close. */
const CLOSE_MS = 30_000;

/** How much longer than it is given a look may take, before what is looked at hangs. */
const LOOK_MS = 30_000;

export interface VisitorOptions {
  readonly name: string;
  readonly recorder: Recorder;
  readonly story: Story;
  readonly random: Random;
  readonly sabotage: Sabotage | undefined;
}

/** Somebody with a browser of their own and some tabs of the shop in it, who does one thing after another. */
export class Visitor implements AsyncDisposable {
  readonly name: string;
  readonly story: Story;
  readonly random: Random;
  readonly #recorder: Recorder;
  readonly #sabotage: Sabotage | undefined;
  readonly #browser: BrowserProfile;
  tabs: Tab[] = [];

  private constructor(options: VisitorOptions, browser: BrowserProfile) {
    const { name, recorder, story, random, sabotage } = options;
    this.name = name;
    this.story = story;
    this.random = random;
    this.#recorder = recorder;
    this.#sabotage = sabotage;
    this.#browser = browser;
  }

  static async arrive(options: VisitorOptions): Promise<Visitor> {
    const visitor = new Visitor(options, await BrowserProfile.open());
    await visitor.openTab();
    return visitor;
  }

  get url(): string {
    return this.#recorder.url;
  }

  get context() {
    return this.#browser.context;
  }

  /** One that is awake and alive, in front; opened, if there is none. */
  async someTab(): Promise<Tab> {
    await this.buryTheDead();
    const awake = this.tabs.filter(({ frozen }) => !frozen);
    const tab = awake[Math.floor(this.random() * awake.length)] ?? (await this.openTab());
    await tab.front();
    return tab;
  }

  async openTab(): Promise<Tab> {
    const opening = Tab.open(this.context, this.url, {
      story: this.story,
      visitor: this.name,
      sabotage: this.#sabotage,
    });
    const tab = await inTime('opening a tab', OPEN_MS, opening);
    this.tabs.push(tab);
    return tab;
  }

  async closeTab(tab: Tab): Promise<void> {
    this.tabs = this.tabs.filter((other) => other !== tab);
    await inTime(`closing tab ${tab.number}`, CLOSE_MS, tab.close());
  }

  /** The page that the browser began with, which is none of the shop's. */
  async lookAway(): Promise<void> {
    await this.context.pages()[0]?.bringToFront();
  }

  async buryTheDead(): Promise<void> {
    for (const tab of this.tabs.filter(({ dead }) => dead)) await this.closeTab(tab);
  }

  /** Which of its tabs do not answer, in words. */
  async silence(): Promise<string> {
    const answers = this.tabs.map((tab) =>
      inTime('', ANSWER_MS, tab.page.title()).then(
        () => '',
        () => `; tab ${tab.number}${tab.frozen ? ', frozen,' : ''} does not answer`,
      ),
    );
    return (await Promise.all(answers)).join('');
  }

  /** `kill -9` of the whole browser, which then finds on disk what it finds. */
  async killBrowser(): Promise<void> {
    this.tabs = [];
    await this.#browser.kill();
    await this.#browser.start();
    await this.openTab();
  }

  /** Looks until it is so; taps what a person would tap meanwhile. */
  async until(what: string, condition: () => Promise<boolean>, withinMs: number): Promise<void> {
    const looking = until(condition, { what: `${this.name}: ${what}`, withinMs, everyMs: 250 });
    await inTime(`looking whether ${what}`, withinMs + LOOK_MS, looking);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser[Symbol.asyncDispose]();
  }
}
