// How C++ declares a member of each kind (record/README.md): for structs whose fields are the rows
// of a table. An `object` or `objects` has the type of its name in the struct's namespace
// `objects`.
#pragma once

#define SM_FIELD_number(name, absent) double name = absent;
#define SM_FIELD_whole(name, absent) std::uint64_t name = absent;
#define SM_FIELD_index(name, absent) std::optional<unsigned> name = absent;
#define SM_FIELD_flag(name, absent) bool name = absent;
#define SM_FIELD_verdict(name, absent) std::optional<bool> name = absent;
#define SM_FIELD_text(name, absent) std::string name = absent;
#define SM_FIELD_status(name, absent) enum syncmeter::status name = absent;
#define SM_FIELD_point(name, absent) syncmeter::point name = absent;
#define SM_FIELD_interval(name, absent) syncmeter::interval name = absent;
#define SM_FIELD_wholes(name, absent) std::vector<int> name = absent;
#define SM_FIELD_numbers(name, absent) std::vector<double> name = absent;
#define SM_FIELD_counts(name, absent) std::map<std::string, std::uint64_t> name = absent;
#define SM_FIELD_object(name, absent) objects::name name = absent;
#define SM_FIELD_objects(name, absent) std::vector<objects::name> name = absent;
#define SM_FIELD_count(name, absent) unsigned name = absent;
#define SM_FIELD_choice(name, absent) decltype(syncmeter::point::name) name = absent;
#define SM_FIELD_placements(name, absent) std::vector<syncmeter::placement> name = absent;
#define SM_FIELD_texts(name, absent) std::vector<std::string> name = absent;
