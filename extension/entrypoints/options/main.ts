import { mount } from 'svelte';
import '../../ui/base.css';
import Options from './Options.svelte';

mount(Options, { target: document.body });
