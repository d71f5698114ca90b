import { mount } from 'svelte';
import '../../ui/base.css';
import Pair from './Pair.svelte';

mount(Pair, { target: document.body });
